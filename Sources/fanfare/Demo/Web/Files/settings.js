// The edge of the server, an integration key of the app (fanfare app key create), and the app's public VAPID key.
export const settings = { edge: "http://127.0.0.1:8080", key: "fik_…", vapidKey: "BPx…" };
