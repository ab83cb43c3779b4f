import TLS
import WebServing

/// The site of `fanfare demo --web`, compiled in; its settings are filled with those of the fleet that runs.
struct DemoSite: Sendable {
    private let files: [StaticFile]

    /// Makes the site for an edge (`http://127.0.0.1:8080`), an integration key and a public VAPID key.
    init(edge: String, key: String, vapidKey: String) {
        func filled(_ source: [UInt8]) -> [UInt8] {
            let text = String(decoding: source, as: UTF8.self)
                .replacing("http://127.0.0.1:8080", with: edge)
                .replacing("fik_…", with: key)
                .replacing("BPx…", with: vapidKey)
            return Array(text.utf8)
        }
        let page = "text/html; charset=utf-8"
        files = [
            StaticFile("index.html", page, PackageResources.index_html),
            StaticFile("es.html", page, PackageResources.es_html),
            StaticFile("site.css", "text/css; charset=utf-8", PackageResources.site_css),
            StaticFile("site.js", StaticFile.script, PackageResources.site_js),
            StaticFile("settings.js", StaticFile.script, filled(PackageResources.settings_js)),
            StaticFile("fanfare-worker.js", StaticFile.script, filled(PackageResources.fanfare_worker_js)),
        ]
    }

    /// Returns the file at a path (`/es.html`, `/` for the first page), whatever its query; nil when there is none.
    func file(at path: String) -> StaticFile? {
        let name = path.prefix { $0 != "?" }.dropFirst()
        return files.first { $0.name == (name.isEmpty ? "index.html" : name) }
    }
}
