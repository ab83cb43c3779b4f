/// The labels that a look fills in where a campaign names none.
struct LookWords: Sendable, Hashable {
    /// The label of the button that opens more.
    let more: String
    /// The label of the button that closes it.
    let close: String
    /// The label of the button that sends answers.
    let send: String

    /// Picks the words of a language such as `es-ES`; English for an unknown one.
    init(language: String) {
        let code = language.lowercased().prefix { $0 != "-" && $0 != "_" && $0 != "@" }
        let words = Self.all[code == "iw" ? "he" : String(code)] ?? ("More", "Close", "Send")
        (more, close, send) = words
    }

    private static let all: [String: (more: String, close: String, send: String)] = [
        "ar": ("المزيد", "إغلاق", "إرسال"),
        "ca": ("Més", "Tanca", "Envia"),
        "cs": ("Více", "Zavřít", "Odeslat"),
        "da": ("Mere", "Luk", "Send"),
        "de": ("Mehr", "Schließen", "Senden"),
        "el": ("Περισσότερα", "Κλείσιμο", "Αποστολή"),
        "es": ("Más", "Cerrar", "Enviar"),
        "fi": ("Lisää", "Sulje", "Lähetä"),
        "fr": ("Plus", "Fermer", "Envoyer"),
        "he": ("עוד", "סגירה", "שליחה"),
        "it": ("Altro", "Chiudi", "Invia"),
        "ja": ("詳しく", "閉じる", "送信"),
        "ko": ("더 보기", "닫기", "보내기"),
        "nb": ("Mer", "Lukk", "Send"),
        "nl": ("Meer", "Sluiten", "Versturen"),
        "pl": ("Więcej", "Zamknij", "Wyślij"),
        "pt": ("Mais", "Fechar", "Enviar"),
        "ru": ("Подробнее", "Закрыть", "Отправить"),
        "sv": ("Mer", "Stäng", "Skicka"),
        "tr": ("Daha fazla", "Kapat", "Gönder"),
        "uk": ("Більше", "Закрити", "Надіслати"),
        "zh": ("更多", "关闭", "发送"),
    ]
}
