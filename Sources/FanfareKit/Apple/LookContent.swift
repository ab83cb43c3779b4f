// Linux compiles this file only against stubs, so it stays thin: Looks makes the decisions.
#if canImport(SwiftUI) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
import SwiftUI
import UIKit

/// Draws everything on a look except its buttons.
struct LookContent: View {
    let look: Look
    let style: LookStyle
    let room: Double
    @Binding var form: PollForm

    var body: some View {
        VStack(alignment: .leading, spacing: 12) {
            image
            HStack(alignment: .top, spacing: 12) {
                icon
                texts
                Spacer(minLength: look.cross == nil ? 0 : 28)
            }
            ForEach(look.questions) { LookQuestion(question: $0, palette: style.palette, form: $form) }
        }
        .frame(maxWidth: .infinity, alignment: .leading)
    }

    @ViewBuilder private var image: some View {
        if let image = look.image {
            AsyncImage(url: image) { drawn in
                drawn.resizable().scaledToFit()
            } placeholder: {
                Color.clear
            }
            .frame(maxWidth: .infinity, maxHeight: room * style.imageShare)
            .clipShape(RoundedRectangle(cornerRadius: 12))
            .accessibilityHidden(true)
        }
    }

    @ViewBuilder private var icon: some View {
        if style.hasIcon, let name = AppIcon.name(Bundle.main.infoDictionary ?? [:]), let icon = UIImage(named: name) {
            Image(uiImage: icon)
                .resizable()
                .frame(width: 38, height: 38)
                .clipShape(RoundedRectangle(cornerRadius: 8))
                .accessibilityHidden(true)
        }
    }

    private var texts: some View {
        VStack(alignment: .leading, spacing: 4) {
            if let title = look.title {
                Text(verbatim: title)
                    .font(.headline)
                    .foregroundStyle(Color(style.palette.text))
                    .lineLimit(style.titleLinesMax)
                    .accessibilityAddTraits(.isHeader)
            }
            if let subtitle = look.subtitle {
                Text(verbatim: subtitle)
                    .font(.subheadline)
                    .foregroundStyle(Color(style.palette.quietText))
                    .lineLimit(style.titleLinesMax)
            }
            if let text = look.text {
                Text(verbatim: text)
                    .font(.body)
                    .foregroundStyle(Color(style.palette.text))
                    .lineLimit(style.textLinesMax)
            }
        }
        .multilineTextAlignment(.leading)
    }
}

/// Draws a question of a poll.
struct LookQuestion: View {
    let question: Poll.Question
    let palette: LookPalette
    @Binding var form: PollForm

    var body: some View {
        VStack(alignment: .leading, spacing: 8) {
            Text(verbatim: question.title)
                .font(.headline)
                .foregroundStyle(Color(palette.text))
                .accessibilityAddTraits(.isHeader)
            ForEach(question.choices) { choice in
                Button {
                    form.take(choice.id, of: question.id)
                } label: {
                    HStack(spacing: 8) {
                        Image(systemName: form.mark(choice.id, of: question))
                        Text(verbatim: choice.title).font(.body).multilineTextAlignment(.leading)
                        Spacer(minLength: 0)
                    }
                    .foregroundStyle(Color(palette.text))
                    .frame(minHeight: 44)
                }
                .buttonStyle(.plain)
                .accessibilityAddTraits(form.isTaken(choice.id, of: question.id) ? .isSelected : [])
            }
        }
    }
}
#endif
