// Linux compiles this file only against stubs, so it stays thin: Looks makes the decisions.
#if canImport(SwiftUI) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
import SwiftUI

/// Draws a look.
struct LookView: View {
    let look: Look
    /// The available height.
    let room: Double
    let end: @MainActor (Look.End) -> Void
    @State private var form: PollForm
    @Environment(\.colorScheme) private var scheme
    @Environment(\.dynamicTypeSize) private var typeSize

    init(_ look: Look, room: Double, end: @escaping @MainActor (Look.End) -> Void) {
        (self.look, self.room, self.end) = (look, room, end)
        _form = State(initialValue: PollForm(look.questions))
    }

    private var style: LookStyle {
        // Both enums have the same sizes in the same order.
        let index = DynamicTypeSize.allCases.firstIndex(of: typeSize)
        let size = index.flatMap { TextSize(rawValue: $0) } ?? .large
        return LookStyle(look, isDark: scheme == .dark, textSize: size)
    }

    var body: some View {
        placed
            .environment(\.layoutDirection, look.direction == .rightToLeft ? .rightToLeft : .leftToRight)
    }

    @ViewBuilder private var placed: some View {
        switch look.frame {
        case .slideup:
            sheet.padding(12).gesture(swipe)
        case .modal:
            ZStack {
                Color.black.opacity(0.45).ignoresSafeArea()
                sheet.frame(maxWidth: 480).padding(24)
            }
            .accessibilityAddTraits(.isModal)
        case .full:
            ZStack {
                Color(style.palette.ground).ignoresSafeArea()
                sheet.frame(maxWidth: .infinity, maxHeight: .infinity)
            }
        }
    }

    private var sheet: some View {
        VStack(alignment: .leading, spacing: 12) {
            middle
            if style.hasStackedButtons {
                VStack(spacing: 8) { buttons }
            } else {
                HStack(spacing: 8) { buttons }
            }
        }
        .padding(look.isImageOnly ? 0 : 16)
        .background(Color(style.palette.ground), in: RoundedRectangle(cornerRadius: 16))
        .overlay(alignment: .topTrailing) { cross }
    }

    @ViewBuilder private var middle: some View {
        if let html = look.html {
            LookPage(html: html, folder: look.folder) { end(.followed($0)) }
        } else if style.isScrolled {
            if look.frame == .modal, #available(iOS 16, *) {
                ViewThatFits(in: .vertical) {
                    tappable
                    ScrollView { tappable }
                }
            } else {
                ScrollView { tappable }
            }
        } else {
            tappable
        }
    }

    @ViewBuilder private var tappable: some View {
        if let step = look.tap {
            LookContent(look: look, style: style, room: room, form: $form)
                .contentShape(RoundedRectangle(cornerRadius: 16))
                .onTapGesture { take(step) }
                .accessibilityAddTraits(.isButton)
        } else {
            LookContent(look: look, style: style, room: room, form: $form)
        }
    }

    private var buttons: some View {
        ForEach(look.buttons) { button in
            Button {
                take(button.step)
            } label: {
                Text(verbatim: button.label)
                    .font(.headline)
                    .foregroundStyle(Color(style.palette.label(button.weight)))
                    .multilineTextAlignment(.center)
                    .padding(.horizontal, 12)
                    .frame(maxWidth: .infinity, minHeight: 44)
                    .background(Color(style.palette.button(button.weight)), in: RoundedRectangle(cornerRadius: 12))
            }
            .buttonStyle(.plain)
            .disabled(look.end(of: button.step, form) == nil)
        }
    }

    @ViewBuilder private var cross: some View {
        if let step = look.cross {
            Button {
                take(step)
            } label: {
                Image(systemName: "xmark")
                    .foregroundStyle(Color(style.palette.quietText))
                    .frame(width: 44, height: 44)
                    .contentShape(RoundedRectangle(cornerRadius: 22))
            }
            .buttonStyle(.plain)
            .accessibilityLabel(look.crossLabel)
        }
    }

    private var swipe: some Gesture {
        DragGesture(minimumDistance: 20).onEnded { drag in
            guard look.isSwipe(Double(drag.translation.width), Double(drag.translation.height)) else { return }
            end(.exited)
        }
    }

    private func take(_ step: Look.Step) {
        if let how = look.end(of: step, form) { end(how) }
    }
}

extension Color {
    init(_ colour: LookPalette.Colour) {
        self.init(
            .sRGB,
            red: Double(colour.red) / 255,
            green: Double(colour.green) / 255,
            blue: Double(colour.blue) / 255,
            opacity: 1
        )
    }
}
#endif
