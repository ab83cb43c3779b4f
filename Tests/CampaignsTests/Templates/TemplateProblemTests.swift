import Campaigns
import Testing

struct TemplateProblemTests {
    struct Wrong: CustomTestStringConvertible, Sendable {
        let source: String
        let line: Int
        let column: Int
        let detail: String
        let fix: String?

        init(_ source: String, _ line: Int, _ column: Int, _ detail: String, fix: String? = nil) {
            (self.source, self.line, self.column, self.detail, self.fix) = (source, line, column, detail, fix)
        }

        var testDescription: String { source }
    }

    static let wrong: [Wrong] = [
        Wrong("Hi {{ first | upcas }}", 1, 15, "there is no filter upcas", fix: "did you mean upcase?"),
        Wrong("Olé\n  {{ first", 2, 3, "{{ has no }}"),
        Wrong("é {{ a b }}", 1, 8, "nothing can stand here"),
        Wrong("{{ }}", 1, 3, "{{ }} is empty"),
        Wrong("{{ | upcase }}", 1, 4, "a value is missing before |"),
        Wrong("{{ a | default }}", 1, 8, "the filter default has 0 arguments"),
        Wrong("{{ a | upcase: 1 }}", 1, 8, "the filter upcase has 1 arguments"),
        Wrong("{{ a | date: \"%Q\" }}", 1, 14, "%Q is not a date directive"),
        Wrong("{{ a | date: b }}", 1, 14, "a date's format is a text in quotation marks"),
        Wrong("{{ 1.2.3 }}", 1, 4, "1.2.3 is not a number"),
        Wrong("{% if a = 1 %}{% endif %}", 1, 9, "= is not a comparison", fix: "write =="),
        Wrong("{% if (a) %}{% endif %}", 1, 7, "there are no parentheses"),
        Wrong("{% if %}{% endif %}", 1, 4, "the condition is missing"),
        Wrong("{% if a | upcase == 'A' %}{% endif %}", 1, 9, "a condition has no filters"),
        Wrong("{% if a %}", 1, 4, "{% if %} has no {% endif %}"),
        Wrong("{% endif %}", 1, 4, "endif without {% if %}"),
        Wrong("{% else %}", 1, 4, "else without {% if %}"),
        Wrong("{% if a %}{% else %}{% elsif b %}{% endif %}", 1, 24, "elsif after {% else %}"),
        Wrong("{% if a %}{% else if b %}{% endif %}", 1, 19, "nothing may follow else"),
        Wrong("{% for a in b %}{% endfor %}", 1, 4, "the tag for of Liquid is not in Fanfare's templates"),
        Wrong("{% include 'x' %}", 1, 4, "the tag include of Liquid is not in Fanfare's templates"),
        Wrong("{% endiff %}", 1, 4, "there is no tag endiff", fix: "did you mean endif?"),
        Wrong(
            "{% abort_message('x') %}",
            1,
            4,
            "there is no tag abort_message",
            fix: "write {% abort \"reason\" %}"
        ),
        Wrong("{% abort reason %}", 1, 10, "the reason of abort is a text in quotation marks"),
        Wrong("{% comment %} for ever", 1, 4, "{% comment %} has no {% endcomment %}"),
        Wrong("{{ 'open }}", 1, 1, "{{ has no }}"),
        Wrong("{{ a[0] }}", 1, 5, "there are no lists"),
    ]

    @Test(arguments: wrong)
    func `an error says line, column, and how to fix it`(wrong: Wrong) throws {
        let problem = try #require(Rendering.problem(wrong.source))
        #expect(problem.line == wrong.line && problem.column == wrong.column, "\(problem.text)")
        #expect(problem.detail == wrong.detail)
        if let fix = wrong.fix { #expect(problem.fix == fix) }
    }

    @Test func `depth and length are bounded`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "{% if a %}", count: depth) + String(repeating: "{% endif %}", count: depth)
        }
        #expect(Rendering.problem(nested(Template.depthMax)) == nil)
        #expect(Rendering.problem(nested(Template.depthMax + 1)) != nil)
        #expect(Rendering.problem(String(repeating: "x", count: Template.sourceBytesMax + 1)) != nil)
        #expect(Rendering.problem("{% abort \"" + String(repeating: "x", count: 100) + "\" %}") != nil)
    }

    @Test func `a template says which variables it asks for`() throws {
        let template = try Template("{{ a }} {{ b | default: c }} {% if d > 1 %}{{ a | upcase }}{% endif %}")
        #expect(template.names == ["a", "b", "c", "d"])
    }
}
