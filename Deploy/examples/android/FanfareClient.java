import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.UUID;

/**
 * Fanfare's edge for an Android app: registration, and what became of each push.
 *
 * <p>No library is needed. What the app tells is on disk before a call returns, so that it survives the process; it is
 * sent by {@link #sync}, as often as it takes, and each event counts once because it keeps its id. All calls may be
 * made from any thread, but {@code sync} uses the network: on Android it belongs on a worker, not on the main thread.
 *
 * <p>Java 17 as Android's build tools take it; the calls are those of Android 8 (API 26).
 */
public final class FanfareClient {
    /** The edge takes 500 events and 256 KiB at once; an event has some 250 bytes. */
    private static final int EVENTS_AT_ONCE = 200;

    /** What a push of Fanfare says; its texts are those of FCM's data message. */
    public record Push(
            String campaign, String message, String kind, String url, String media, String title, String body) {}

    /** How a {@link #sync} ended. */
    public record Outcome(String status, String reason, int waiting) {}

    /** What the edge answered; 0 when it could not be asked. */
    private record Answer(int status, Map<String, Object> body) {}

    private final String server;
    private final String integrationKey;
    private final Map<String, String> payloadNames;
    private final File device;
    private final Journal journal;
    private final Map<String, Object> memory;
    /** Held while the network is used; what is told meanwhile needs only the client's own lock. */
    private final Object network = new Object();

    /**
     * Opens what a folder keeps ({@code Context.getNoBackupFilesDir()}: an installation's secret is not for backups).
     *
     * @param payloadNames the app's {@code payload_names} of apps.yaml; empty for none
     */
    public FanfareClient(File folder, String server, String integrationKey, Map<String, String> payloadNames)
            throws IOException {
        Files.createDirectories(folder.toPath());
        this.server = server;
        this.integrationKey = integrationKey;
        this.payloadNames = Map.copyOf(payloadNames);
        device = new File(folder, "device.json");
        memory = device.exists()
                ? FanfareJson.object(text(Files.readAllBytes(device.toPath())))
                : new LinkedHashMap<>();
        if (FanfareJson.text(memory, "id") == null) {
            memory.clear();
            memory.put("id", UUID.randomUUID().toString());
            remember();
        }
        journal = new Journal(new File(folder, "events.ndjson"));
    }

    /** The token of FirebaseMessagingService.onNewToken, or of FirebaseMessaging.getToken at each start. */
    public synchronized void tokenChanged(String token) throws IOException {
        if (!token.equals(memory.get("token"))) {
            memory.put("token", token);
            remember();
        }
    }

    /** Reads RemoteMessage.getData(); null when the message is not of Fanfare. */
    public Push push(Map<String, String> data) {
        Map<String, Object> own = FanfareJson.object(data.get("fanfare"));
        String message = member("message_id", "m", own, data);
        if (message == null) {
            return null;
        }
        String kind = member("kind", "k", own, data);
        return new Push(
                member("delivery_id", "c", own, data),
                message,
                kind == null ? "notification" : kind,
                member("url", "u", own, data),
                member("media", "i", own, data),
                data.get("title"),
                data.get("body"));
    }

    /** Under a name of the app's own beside the object, or within it. */
    private String member(String name, String key, Map<String, Object> own, Map<String, String> data) {
        String renamed = payloadNames.get(name);
        return renamed == null ? FanfareJson.text(own, key) : data.get(renamed);
    }

    /** The push has come: FirebaseMessagingService.onMessageReceived. */
    public void received(Push push) throws IOException {
        tell(push, "received", null);
    }

    /** The app has posted a notification for it. */
    public void displayed(Push push) throws IOException {
        tell(push, "displayed", null);
    }

    /** The notification was tapped: its content intent. */
    public void opened(Push push) throws IOException {
        tell(push, "opened", null);
    }

    /** A button of the notification was pressed: the intent of its action. */
    public void pressed(Push push, String button) throws IOException {
        tell(push, "actioned", button);
    }

    private void tell(Push push, String type, String button) throws IOException {
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("id", UUID.randomUUID().toString());
        event.put("m", push.message());
        event.put("type", type);
        event.put("surface", "system");
        if (button != null) {
            event.put("action", button);
        }
        event.put("at", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
        journal.append(event);
    }

    /** Tells the edge everything that it does not know; what does not go now is kept for the next time. */
    public Outcome sync() throws IOException {
        synchronized (network) {
            Outcome registration = register();
            if (!registration.status().equals("registered")) {
                return registration;
            }
            while (true) {
                List<Map<String, Object>> events = journal.first(EVENTS_AT_ONCE);
                if (events.isEmpty()) {
                    return outcome("registered", null);
                }
                Answer answer = ask("POST", "/v1/tracking", secret(), Map.of("events", events));
                if (answer.status() == 202) {
                    journal.remove(events);
                } else if (answer.status() == 422 || answer.status() == 400) {
                    // Nothing of the request was taken. The one that the answer points at would never be.
                    Map<String, Object> refused = events.get(place(answer.body(), events.size()));
                    System.err.println("fanfare: the edge refuses " + refused + ": " + answer.body());
                    journal.remove(List.of(refused));
                } else if (answer.status() == 401 || answer.status() == 403) {
                    // The secret opens nothing any more: the next time registers anew.
                    forgetSecret();
                    return outcome(status(answer), reason(answer));
                } else {
                    return outcome(status(answer), reason(answer));
                }
            }
        }
    }

    private Outcome register() throws IOException {
        String told;
        Map<String, Object> body = new LinkedHashMap<>();
        synchronized (this) {
            String token = FanfareJson.text(memory, "token");
            if (token == null) {
                return outcome("token_missing", "call tokenChanged first");
            }
            body.put("token", token);
            body.put("provider", "fcm");
            body.put("locale", Locale.getDefault().toLanguageTag());
            body.put("time_zone", TimeZone.getDefault().getID());
            told = FanfareJson.write(body);
            if (secret() != null && told.equals(memory.get("told"))) {
                return outcome("registered", null);
            }
        }
        Answer answer = put(body);
        if (answer.status() == 403 && secret() != null) {
            forgetSecret();
            answer = put(body);
        }
        if (answer.status() == 409) {
            // The id is another installation's: a backup of that phone has brought it here.
            synchronized (this) {
                memory.put("id", UUID.randomUUID().toString());
                forgetSecret();
            }
            answer = put(body);
        }
        if (answer.status() != 200 && answer.status() != 201) {
            return outcome(status(answer), reason(answer));
        }
        synchronized (this) {
            String secret = FanfareJson.text(answer.body(), "device_secret");
            if (secret != null) {
                memory.put("secret", secret);
            }
            memory.put("told", told);
            remember();
        }
        return outcome("registered", null);
    }

    private Answer put(Map<String, Object> body) {
        String secret = secret();
        String id;
        synchronized (this) {
            id = FanfareJson.text(memory, "id");
        }
        return ask("PUT", "/v1/devices/" + id, secret == null ? integrationKey : secret, body);
    }

    private synchronized String secret() {
        return FanfareJson.text(memory, "secret");
    }

    private synchronized void forgetSecret() throws IOException {
        memory.remove("secret");
        remember();
    }

    private synchronized void remember() throws IOException {
        Journal.replace(device, FanfareJson.write(memory));
    }

    private Outcome outcome(String status, String reason) {
        return new Outcome(status, reason, journal.count());
    }

    private static String status(Answer answer) {
        String status = FanfareJson.text(answer.body(), "status");
        return status != null ? status : answer.status() == 0 ? "connection_issue" : "unexpected_error";
    }

    private static String reason(Answer answer) {
        return FanfareJson.text(answer.body(), "reason");
    }

    /** The event that an answer points at, as /events/3/action does; the first when it points at none. */
    private static int place(Map<String, Object> answer, int count) {
        String pointer = FanfareJson.text(answer, "pointer");
        String[] parts = pointer == null ? new String[0] : pointer.split("/");
        boolean isPlace = parts.length > 2 && parts[1].equals("events") && parts[2].matches("[0-9]{1,4}");
        return isPlace ? Math.min(Integer.parseInt(parts[2]), count - 1) : 0;
    }

    private Answer ask(String method, String path, String bearer, Map<String, Object> body) {
        HttpURLConnection connection = null;
        try {
            connection = (HttpURLConnection) new URL(server + path).openConnection();
            connection.setRequestMethod(method);
            connection.setConnectTimeout(10_000);
            connection.setReadTimeout(30_000);
            connection.setDoOutput(true);
            connection.setRequestProperty("Authorization", "Bearer " + bearer);
            connection.setRequestProperty("Content-Type", "application/json");
            try (OutputStream out = connection.getOutputStream()) {
                out.write(FanfareJson.write(body).getBytes(StandardCharsets.UTF_8));
            }
            int status = connection.getResponseCode();
            InputStream in = status < 400 ? connection.getInputStream() : connection.getErrorStream();
            return new Answer(status, FanfareJson.object(text(in)));
        } catch (IOException failure) {
            return new Answer(0, Map.of("reason", String.valueOf(failure.getMessage())));
        } finally {
            if (connection != null) {
                connection.disconnect();
            }
        }
    }

    private static String text(InputStream in) throws IOException {
        if (in == null) {
            return "";
        }
        try (in) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] part = new byte[4096];
            for (int count = in.read(part); count >= 0; count = in.read(part)) {
                out.write(part, 0, count);
            }
            return text(out.toByteArray());
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Events on disk, a line each. */
    private static final class Journal {
        private final File file;
        private final List<Map<String, Object>> events = new ArrayList<>();

        Journal(File file) throws IOException {
            this.file = file;
            String text = file.exists() ? text(Files.readAllBytes(file.toPath())) : "";
            for (String line : text.split("\n")) {
                Map<String, Object> event = FanfareJson.object(line);
                if (!event.isEmpty()) {
                    events.add(event);
                }
            }
            if (!text.isEmpty() && !text.endsWith("\n")) {
                // The process was killed in the middle of a line: whatever comes next would be part of it.
                write();
            }
        }

        synchronized void append(Map<String, Object> event) throws IOException {
            try (RandomAccessFile out = new RandomAccessFile(file, "rw")) {
                out.seek(out.length());
                out.write((FanfareJson.write(event) + "\n").getBytes(StandardCharsets.UTF_8));
                out.getFD().sync();
            }
            events.add(event);
        }

        synchronized List<Map<String, Object>> first(int count) {
            return List.copyOf(events.subList(0, Math.min(count, events.size())));
        }

        synchronized int count() {
            return events.size();
        }

        synchronized void remove(List<Map<String, Object>> done) throws IOException {
            events.removeAll(done);
            write();
        }

        private void write() throws IOException {
            StringBuilder text = new StringBuilder();
            for (Map<String, Object> event : events) {
                text.append(FanfareJson.write(event)).append('\n');
            }
            replace(file, text.toString());
        }

        /** Puts a text in a file's place; who reads it sees all of the old or all of the new. */
        static void replace(File file, String text) throws IOException {
            File next = new File(file.getPath() + ".next");
            try (FileOutputStream out = new FileOutputStream(next)) {
                out.write(text.getBytes(StandardCharsets.UTF_8));
                out.getFD().sync();
            }
            Files.move(
                    next.toPath(), file.toPath(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
