import Foundation
import PrivateServers
import Servers
import Testing

@testable import HTTPServer

/// The API compared with its OpenAPI document, by an independent tool's requests.
@Suite struct SchemathesisTests {
    /// Runs schemathesis, which is beside the interpreter; prints its findings.
    private static let script = """
        import os, subprocess, sys, tempfile
        tool = os.path.join(os.path.dirname(sys.executable), "schemathesis")
        checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
        arguments = [tool, "run", sys.argv[1] + "/openapi.json", "--url", sys.argv[1], "--checks", checks,
                     "--exclude-operation-id", "streamEvents", "--exclude-operation-id", "streamCampaignEvents",
                     "--max-examples", "30", "--seed", "1", "--no-color", "--header", "Authorization: Bearer " + sys.argv[2]]
        # It keeps what it finds in the folder that it runs in.
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder)
        print(run.returncode)
        print(run.stdout)
        """

    @Test(.enabled(if: FullSuite.isOn && PythonJudge.isThere))
    func `nobody's request makes it fail or answer outside its document`() async throws {
        let url = try await TestBroker.url("api-schemathesis")
        let tokens = [TestTokens.token("ada", "admin")]
        let settings = ["FANFARE_SERVER_REQUESTS_PER_SECOND": "100000"]
        try await PrivateServer.with(broker: url, tokens: tokens, settings: settings) { server in
            try await server.accept("derby")
            let arguments = ["http://127.0.0.1:\(server.port)", TestTokens.text("ada")]
            let lines = try await aside { try PythonJudge.lines(Self.script, arguments) }
            #expect(lines.first == "0", "\(lines.dropFirst().joined(separator: "\n"))")
        }
    }
}
