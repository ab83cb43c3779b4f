/// All keys of the configuration (contract, section 4).
///
/// Messages, checks and `config reference` are made from this table.
package enum ConfigurationCatalogue {
    /// The keys in the order in which people read them.
    package static let keys: [ConfigurationKey] = [
        ConfigurationKey(
            "amqp.url",
            .brokerURL,
            "amqp://guest:guest@127.0.0.1:5672",
            "the broker; no path or / is the virtual host /; several hosts separated by commas"
        ),
        ConfigurationKey(
            "amqp.management_url",
            .httpURL,
            nil,
            "the broker's management API, for policies (topology apply); none means the broker's host, port 15671 "
                + "(https) with amqps and 15672 otherwise; user and password are those of amqp.url and go to another "
                + "machine only over https, with the files of amqps"
        ),
        ConfigurationKey(
            "store.url",
            .storeURL,
            "sqlite:fanfare.db",
            "the ledger: a file of one host, its path relative to the configuration file, else to the working directory; "
                + "or, for workers on several hosts, postgresql://user@host:5432/database with libpq's parameters, "
                + "standbys after commas; another machine proves its name by TLS (sslmode=verify-full) unless the URL says "
                + "otherwise"
        ),
        ConfigurationKey("store.retention.campaigns", .duration, "90d", "how long finished campaigns are kept"),
        ConfigurationKey("store.retention.outcomes", .duration, "30d", "how long outcomes of single devices are kept"),
        ConfigurationKey("store.retention.lists", .duration, "30d", "how long lists that no campaign uses are kept"),
        ConfigurationKey(
            "store.retention.tracking",
            .duration,
            "90d",
            "how long reports of single phones are kept after a campaign's end; the totals stay"
        ),
        ConfigurationKey("store.retention.parked", .duration, "30d", "how long parked messages are kept"),
        ConfigurationKey("apps.file", .path, "apps.yaml", "the apps and where their keys are; read again on SIGHUP"),
        ConfigurationKey(
            "events.webhook_hosts",
            .webhookHosts,
            nil,
            "the hosts that apps may have webhooks at (hooks.example.com, *.example.org; for trying out 127.0.0.1:9000 "
                + "with its port); none means no host"
        ),
        ConfigurationKey(
            "worker.roles",
            .words(["intake", "planner", "sender", "tracking"]),
            "all",
            "what this worker does"
        ),
        ConfigurationKey("worker.loops", .number(1...1024), nil, "event loops; none means one per core it may use"),
        ConfigurationKey(
            "worker.warm_connections",
            .number(0...1000),
            "32",
            "connections to push services that stay open while nothing is sent, for the apps that sent lately; 0 keeps "
                + "those of held campaigns only"
        ),
        ConfigurationKey(
            "worker.unflushed",
            .number(1...1_000_000),
            "4000",
            hot: true,
            "answers not yet in the ledger at which no further push is opened: what kill -9 may repeat"
        ),
        ConfigurationKey("worker.drain", .duration, "20s", hot: true, "how long SIGTERM waits for running shards"),
        ConfigurationKey(
            "worker.listen",
            .address,
            "127.0.0.1:9464",
            "metrics, /livez, /readyz; only the default moves to the next free port"
        ),
        ConfigurationKey(
            "server.roles",
            .words(["api", "edge"]),
            "all",
            "what this server answers; an edge alone needs no provider keys, gives no orders, and has only probes and "
                + "metrics on server.listen"
        ),
        ConfigurationKey("server.listen", .address, "127.0.0.1:8080", "the HTTP API and the dashboard"),
        ConfigurationKey("server.edge_listen", .address, nil, "the device edge; none means server.listen"),
        ConfigurationKey(
            "server.metrics_listen",
            .address,
            nil,
            "probes and metrics alone, beside those on server.listen; metrics want a viewer's token here too"
        ),
        ConfigurationKey(
            "server.tokens_file",
            .path,
            nil,
            "the access tokens, as hashes; none means loopback only; read again on SIGHUP"
        ),
        ConfigurationKey(
            "server.certificate_file",
            .path,
            nil,
            "the certificate (PEM, with its chain); with it and its key the API is HTTPS"
        ),
        ConfigurationKey("server.private_key_file", .path, nil, "the certificate's private key (PEM)"),
        ConfigurationKey(
            "server.requests_per_second",
            .number(1...100_000),
            "200",
            "requests a second of one token, or of one address without tokens; a burst may be twice that"
        ),
        ConfigurationKey(
            "server.edge_requests_per_second",
            .number(1...100_000),
            "10",
            "requests a second of one device at the edge; a burst may be twice that"
        ),
        ConfigurationKey(
            "server.edge_registrations_per_second",
            .number(1...100_000),
            "200",
            "requests a second of one address at the edge without a device's secret: first registrations, and unknown "
                + "keys; a burst may be twice that"
        ),
        ConfigurationKey(
            "server.trusted_proxies",
            .networks,
            nil,
            "proxies whose statements about their clients are believed, as addresses or networks (10.0.0.0/8, "
                + "2001:db8::/32): Forwarded, X-Forwarded-For, and the PROXY protocol, version 2; none means no proxy"
        ),
        ConfigurationKey(
            "server.connections",
            .number(8...1_000_000),
            nil,
            "connections at once on each of the two addresses; none means half of the descriptors, less a reserve"
        ),
        ConfigurationKey(
            "server.address_connections",
            .number(1...1_000_000),
            nil,
            "connections at once from one address (for IPv6 a /64) that is no trusted proxy; none means half of all"
        ),
        ConfigurationKey(
            "server.memory_mib",
            .number(16...16_777_216),
            nil,
            "memory of the process in MiB, a quarter of which may be filled by what phones send and do not take; none "
                + "means the control group's limit, or the machine's memory"
        ),
        ConfigurationKey(
            "telemetry.otlp_url",
            .httpURL,
            nil,
            "a collector of OpenTelemetry (OTLP/HTTP, JSON), such as http://127.0.0.1:4318: gets a span for each shard of a "
                + "campaign whose job has a sampled traceparent"
        ),
        ConfigurationKey(
            "log.level",
            .word(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
            "info",
            hot: true,
            "the least severe level that is logged"
        ),
        ConfigurationKey(
            "log.format",
            .word(["auto", "json", "pretty"]),
            "auto",
            "auto is pretty on a terminal, JSON otherwise"
        ),
    ]

    /// Returns the key with a name.
    package static func key(named name: String) -> ConfigurationKey? {
        keys.first { $0.name == name }
    }
}
