import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** An app at a terminal, for the tests: it does what the lines of its standard input say, and tells how it went. */
final class AndroidPhone {
    private AndroidPhone() {}

    /** FOLDER SERVER KEY [NAME=OWN ...]: the client's, and the app's payload names. */
    public static void main(String[] arguments) throws IOException {
        Map<String, String> names = new LinkedHashMap<>();
        for (int index = 3; index < arguments.length; index++) {
            String[] pair = arguments[index].split("=", 2);
            names.put(pair[0], pair[1]);
        }
        FanfareClient client = new FanfareClient(new File(arguments[0]), arguments[1], arguments[2], names);
        say("started");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        FanfareClient.Push push = null;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] order = line.split(" ", 2);
            switch (order[0]) {
                case "token" -> client.tokenChanged(order[1]);
                case "data" -> push = client.push(data(order[1]));
                case "received" -> client.received(push);
                case "displayed" -> client.displayed(push);
                case "opened" -> client.opened(push);
                case "pressed" -> client.pressed(push, order[1]);
                case "sync" -> say(String.valueOf(client.sync()));
                default -> throw new IOException("no order " + line);
            }
            say("done " + order[0] + (order[0].equals("data") ? " " + push : ""));
        }
    }

    /** What RemoteMessage.getData() is of a message's data, as FCM's sender wrote it. */
    private static Map<String, String> data(String json) {
        Map<String, String> data = new LinkedHashMap<>();
        FanfareJson.object(json).forEach((name, value) -> data.put(name, (String) value));
        return data;
    }

    private static void say(String line) {
        // Whatever the machine's own encoding is.
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        System.out.write(bytes, 0, bytes.length);
        System.out.flush();
    }
}
