import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON as Fanfare's client needs it: objects are maps, arrays are lists, numbers are doubles.
 *
 * <p>On Android {@code org.json} does the same; this one is here because a plain JDK has none.
 */
final class FanfareJson {
    /** Deeper than anything that Fanfare sends; a reader that calls itself needs an end. */
    private static final int DEPTH_MOST = 32;

    private final String text;
    private int at;

    private FanfareJson(String text) {
        this.text = text;
    }

    /** Reads a text; null when it is not JSON. */
    static Object read(String text) {
        FanfareJson reader = new FanfareJson(text);
        try {
            Object value = reader.value(0);
            reader.space();
            return reader.at == text.length() ? value : null;
        } catch (IllegalArgumentException | IndexOutOfBoundsException malformed) {
            return null;
        }
    }

    /** Reads an object; empty when the text is none. */
    static Map<String, Object> object(String text) {
        return text == null ? Map.of() : members(read(text));
    }

    /** The members of an object; empty of anything else. */
    static Map<String, Object> members(Object value) {
        Map<String, Object> members = new LinkedHashMap<>();
        if (value instanceof Map<?, ?> map) {
            map.forEach((name, member) -> members.put((String) name, member));
        }
        return members;
    }

    /** A member that is a text; null when it is anything else. */
    static String text(Map<String, Object> object, String name) {
        return object.get(name) instanceof String text ? text : null;
    }

    /** Writes maps, lists, texts, numbers, booleans and null. */
    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        String comma = "";
        if (value instanceof Map<?, ?> map) {
            out.append('{');
            for (Map.Entry<?, ?> member : map.entrySet()) {
                out.append(comma);
                write(member.getKey(), out);
                out.append(':');
                write(member.getValue(), out);
                comma = ",";
            }
            out.append('}');
        } else if (value instanceof List<?> list) {
            out.append('[');
            for (Object element : list) {
                out.append(comma);
                write(element, out);
                comma = ",";
            }
            out.append(']');
        } else if (value instanceof String text) {
            quote(text, out);
        } else if (value instanceof Double number && number == Math.rint(number) && Math.abs(number) < 1e15) {
            out.append(number.longValue());
        } else {
            out.append(value);
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int index = 0; index < text.length(); index++) {
            char c = text.charAt(index);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < 0x20) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    private Object value(int depth) {
        if (depth > DEPTH_MOST) {
            throw new IllegalArgumentException("too deep");
        }
        space();
        return switch (text.charAt(at)) {
            case '{' -> map(depth);
            case '[' -> list(depth);
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, Object> map(int depth) {
        Map<String, Object> map = new LinkedHashMap<>();
        at++;
        space();
        if (skipped('}')) {
            return map;
        }
        do {
            space();
            String name = string();
            space();
            expect(':');
            map.put(name, value(depth + 1));
            space();
        } while (skipped(','));
        expect('}');
        return map;
    }

    private List<Object> list(int depth) {
        List<Object> list = new ArrayList<>();
        at++;
        space();
        if (skipped(']')) {
            return list;
        }
        do {
            list.add(value(depth + 1));
            space();
        } while (skipped(','));
        expect(']');
        return list;
    }

    private String string() {
        expect('"');
        StringBuilder out = new StringBuilder();
        while (true) {
            char c = text.charAt(at++);
            if (c == '"') {
                return out.toString();
            }
            out.append(c == '\\' ? escaped() : c);
        }
    }

    private char escaped() {
        char c = text.charAt(at++);
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> (char) Integer.parseInt(text.substring(at, at += 4), 16);
            default -> throw new IllegalArgumentException("no such escape");
        };
    }

    private Double number() {
        int from = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return Double.valueOf(text.substring(from, at));
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw new IllegalArgumentException("no such word");
        }
        at += word.length();
        return value;
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private boolean skipped(char c) {
        boolean isThere = text.charAt(at) == c;
        at += isThere ? 1 : 0;
        return isThere;
    }

    private void expect(char c) {
        if (!skipped(c)) {
            throw new IllegalArgumentException("no " + c);
        }
    }
}
