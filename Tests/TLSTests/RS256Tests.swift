import PushProviders
import TLS
import Testing

@Suite struct RS256Tests {
    @Test(arguments: ["PKCS#8", "PKCS#1"])
    func `the signature is that of RFC 7515, A.2`(form: String) throws {
        let pem = form == "PKCS#8" ? Self.privateKeyPKCS8 : Self.privateKeyPKCS1
        let key = try RS256.SigningKey(pem: Array(pem.utf8), source: "service-account.json")
        #expect(try Base64URL.encode(key.sign(Array(Self.signingInput.utf8))) == Array(Self.signature.utf8))
        let verifier = try RS256.VerificationKey(pem: key.publicKeyPEM(), source: "public key")
        let signature = try #require(Base64URL.decode(Array(Self.signature.utf8)))
        #expect(verifier.verifies(signature: signature, of: Array(Self.signingInput.utf8)))
        #expect(!verifier.verifies(signature: signature, of: Array(Self.signingInput.utf8.dropLast())))
        for at in [0, 128, 255] {
            var other = signature
            other[at] ^= 1
            #expect(!verifier.verifies(signature: other, of: Array(Self.signingInput.utf8)))
        }
        #expect(!verifier.verifies(signature: Array(signature.dropLast()), of: Array(Self.signingInput.utf8)))
        #expect(!verifier.verifies(signature: [], of: Array(Self.signingInput.utf8)))
    }

    @Test func `a fresh key signs, and no other key verifies it`() throws {
        let pair = try RS256.generateKey()
        let key = try RS256.SigningKey(pem: pair.privateKeyPEM, source: "private key")
        let message = Array("header.claims".utf8)
        let signature = try key.sign(message)
        #expect(signature.count == 256)
        let verifier = try RS256.VerificationKey(pem: pair.publicKeyPEM, source: "public key")
        #expect(verifier.verifies(signature: signature, of: message))
        #expect(try key.publicKeyPEM() == pair.publicKeyPEM)
        let other = try RS256.SigningKey(pem: Array(Self.privateKeyPKCS8.utf8), source: "other").publicKeyPEM()
        let otherVerifier = try RS256.VerificationKey(pem: other, source: "other")
        #expect(!otherVerifier.verifies(signature: signature, of: message))
    }

    @Test func `a key that cannot be used is named with what is wrong`() throws {
        let curve = try ES256.generateKey()
        let cases: [(pem: [UInt8], word: String)] = [
            (Array("not a key".utf8), "PKCS#8 or PKCS#1"), (curve.privateKeyPEM, "is not RSA"),
            (Array(Self.shortPrivateKey.utf8), "has 1024 bits"), (curve.publicKeyPEM, "PKCS#8 or PKCS#1"),
        ]
        for (pem, word) in cases {
            let refusal = #expect(throws: TLSError.self) {
                try RS256.SigningKey(pem: pem, source: "news-firebase.json")
            }
            #expect(refusal?.message.contains("news-firebase.json") == true)
            #expect(refusal?.message.contains(word) == true)
        }
        for (pem, word) in [
            (curve.publicKeyPEM, "is not RSA"), (Array(Self.shortPublicKey.utf8), "has 1024 bits"),
            (Array("not a key".utf8), "not a public key"),
        ] {
            let refusal = #expect(throws: TLSError.self) { try RS256.VerificationKey(pem: pem, source: "public.pem") }
            #expect(refusal?.message.contains("public.pem") == true)
            #expect(refusal?.message.contains(word) == true)
        }
        #expect(throws: TLSError.self) {
            try ES256.SigningKey(pem: Array(Self.privateKeyPKCS8.utf8), source: "AuthKey.p8")
        }
    }

    // RFC 7515, A.2: the key of its JWK in two forms, the signed text and the signature.
    private static let signingInput =
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290"
        + "Ijp0cnVlfQ"
    private static let signature =
        "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CU"
        + "Ar7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_d"
        + "O--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0ig"
        + "cN_IoypGlUPQGe77Rw"

    private static let privateKeyPKCS8 = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCh+BYK4uPJtGXO
        jS1lYmM2K5J9vinh8CR3/BYlzJChNuOL2TSXxbbqY913EeZ8dCn5VrD7io8ImtxL
        aYk8wTM/U+3QGbh3hCUv7JFP5IV3aVlL6kKA0ywPVb9ilE8TA5a8bpvfbr3SvaNn
        juygxmj3AbONv/s4yDQs4v5tJ/reSlpIdJed1LnPmt7Ex1sFhSwsD174pcF1A5L5
        ROjtZMEQxrZHYJqkeDrrnGya11UxMFBji4NmXG9veoKjlnAqH2QbgtPr8jkiGUkf
        toaHLFcW9Qr4NY2ai50Xw0Byj3+H2JoY2PyrZ62EWQwuz3WTOTY8BwNNb2BvniHg
        VFbK5emhAgMBAAECggEAEq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyW
        PEAeP88vLNO97IjlA7/GQ5sLKMgvfTeXZx9SE+7YwVol2NXOoAJe46sui395IW/G
        O+pWJ1O0BkTGoVEn2bKVRUCgu+GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzj
        kn439X0M/V51gfpRLI9JYanrC4D4qAdGcopV/0ZHHzQlBjudU2QvXt4ehNYTCBr6
        XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl/x/jTj3ccPDVZFD9pIuhLhBOneufuBiB
        4cS98l2SR/RQyGWSeWjnczT0QU91p1DhOVRuOopznQKBgQDgHMQQ60imZV1URk0K
        pLttoLhyt3SmqdEf/kgHePDdtzEafpAu+cS191R2JiuoF2yzWXnwFDcqGigp5BNr
        0AHQfD8/Lk8l1Mk09jxxCfui5nYooNyac8YFjm3vItzVCVDnEd3BbVWG8qf6deqE
        lMGAg+C2V0L4oNXnP7LZcPAZRwKBgQC5A8R+CZW2MvRTLLHzwZkUXV866cff7tx6
        kqa0finGG0KgeqlaZPxgCZnFp7AeAcCMtiynVlJ7vMVgePsLq6XtON4tB5kP9jAP
        rq3rbAOal78eUH5OcED6eNuCV8ixEu1eWcPNCS/l1OW1EnXUEoEHKl54Xrrz2uNw
        kgMTP1FZ1wKBgAcCn1dwJKufzBWQxWQp1vsM5fggqPN1qGb5y0MAk3g7/Ls5bkUp
        5u9SN0Ai3Ya6hNnvWJMb7sXQX6U/zyO2M/hTip7tUeh7CXgwo59dkpN75gJLVds2
        9+DAncu3KXU4f2Fa+7bLNrur53k8KwPOq2bbuTG69QtV7Jr5MR0AHWKNAoGBAIf/
        evpitUf+4JYbLpvNXWcY052Mpz22aR84mY3nh3F2LF2mjMJDpTg7FmuyPcVw6EcG
        yoAe9fa65iNqCq+jdw6PVNGo2hxfjSiZ8IIzHdsPXI89//pMjZcQK9r+CCoRjaZj
        OYiIDktVWZzmevJuv6WywUqd57LE3Zar3dLSIkx1AoGAIYd7DHOhrWvxkwPQsRM2
        tOgrjbcrfvtQJipd+DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd/QJQ3
        ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp/gh6A56
        03k2+ZQwVK0JKSHuLFkuQ3U=
        -----END PRIVATE KEY-----

        """

    private static let privateKeyPKCS1 = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEowIBAAKCAQEAofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd/wWJcyQoTbji9k0
        l8W26mPddxHmfHQp+Vaw+4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL+yRT+SFd2lZS+pC
        gNMsD1W/YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb/7OMg0LOL+bSf63kpaSHSX
        ndS5z5rexMdbBYUsLA9e+KXBdQOS+UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uD
        Zlxvb3qCo5ZwKh9kG4LT6/I5IhlJH7aGhyxXFvUK+DWNmoudF8NAco9/h9iaGNj8
        q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQIDAQABAoIBABKucaRpzQorw35S
        bEUAVx8dYXUdZOlJcHtiWQ+dC6V8ljxAHj/PLyzTveyI5QO/xkObCyjIL303l2cf
        UhPu2MFaJdjVzqACXuOrLot/eSFvxjvqVidTtAZExqFRJ9mylUVAoLvhowVWmC1O
        n95fZCXxTUtxNEG1Xcc7m0rtzJKs45J+N/V9DP1edYH6USyPSWGp6wuA+KgHRnKK
        Vf9GRx80JQY7nVNkL17eHoTWEwga+lwi0FEoW9Y7lDtWXYmKBWhUE+U8PGxlJf8f
        40493HDw1WRQ/aSLoS4QTp3rn7gYgeHEvfJdkkf0UMhlknlo53M09EFPdadQ4TlU
        bjqKc50CgYEA4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH/5IB3jw3bcxGn6QLvnE
        tfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw/Py5PJdTJNPY8cQn7ouZ2KKDcmnPG
        BY5t7yLc1QlQ5xHdwW1VhvKn+nXqhJTBgIPgtldC+KDV5z+y2XDwGUcCgYEAuQPE
        fgmVtjL0Uyyx88GZFF1fOunH3+7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYs
        p1ZSe7zFYHj7C6ul7TjeLQeZD/YwD66t62wDmpe/HlB+TnBA+njbglfIsRLtXlnD
        zQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdcCgYAHAp9XcCSrn8wVkMVkKdb7
        DOX4IKjzdahm+ctDAJN4O/y7OW5FKebvUjdAIt2GuoTZ71iTG+7F0F+lP88jtjP4
        U4qe7VHoewl4MKOfXZKTe+YCS1XbNvfgwJ3Ltyl1OH9hWvu2yza7q+d5PCsDzqtm
        27kxuvULVeya+TEdAB1ijQKBgQCH/3r6YrVH/uCWGy6bzV1nGNOdjKc9tmkfOJmN
        54dxdixdpozCQ6U4OxZrsj3FcOhHBsqAHvX2uuYjagqvo3cOj1TRqNocX40omfCC
        Mx3bD1yPPf/6TI2XECva/ggqEY2mYzmIiA5LVVmc5nrybr+lssFKneeyxN2Wq93S
        0iJMdQKBgCGHewxzoa1r8ZMD0LETNrToK423K377UCYqXfg5XMclbrjPbEC3YI1Z
        NqMtuhdBJqUnBi6tjKMF+34Xf0CUN8ncuXGO2CAYvO8PdyCixHX52ybaDjy1FtCE
        6yUXjoKNXKvUm7MWGsAYH6f4IegOetN5NvmUMFStCSkh7ixZLkN1
        -----END RSA PRIVATE KEY-----

        """

    // A key of 1024 bits, made for this test alone.
    private static let shortPrivateKey = """
        -----BEGIN PRIVATE KEY-----
        MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBAMmGkaYyH/5ikD5m
        TZTPDKHmw+OXzDo32lo9ZQCEuhFtIrRcPN7zARg8yKAwRaJv06tkJTfIWhI2dRm+
        Mbo4XlA34iy2aGbCGyS9rqDdO6u4wxgq+uxcV4E0v3xYvMcmhSJk75678685keok
        Q23SmbChVuO6/f+qXmnSaO+Qo8VLAgMBAAECgYEAjlUD45y9af6VH+1DWBmQM3z3
        13Pr4yZ1ioyYHHChthMdksMentyEZmjvzeuqEtrmZcOaYbaYnwplVGQ3XO3Y9Y8U
        DYE3mrdgHbUXElLwd5mgykXZK5Q91VKNYRNrBa96tbL/YY2Pmnlt+oNggqLErPe9
        XbeQJZx1xYRrA1Rmk6ECQQD4T2OeeSHavJg6H8Jufq8LZGCVCmtc9NvciUpA4AJa
        1GMa7AKYzZP/qwOXchATQmohvPq3UyIBC2ZBe0g3PWn7AkEAz8RFZnbwFyfVRlhs
        GgaGoRQelKG7r+3KNzeWAEdlDP6vXL8FQRoxaOCXIfQMmWuvZxTr99aHpPsFPEAO
        ogkA8QJAPiInbE0lQoW0lb7CuUFr7a7VWBX+XYlLxrh34xnqnO3OSrtJvxCZ+vzA
        7lF1YkxZIE4Ycm0T8iz3DmWZ4XC1pwJAXCyUKYAsxekbGmlSFD2+7qlxY7lY/hT9
        uH+FobwK3bgD7p6kYxyOvRuekSanjE0U9SN4CGz5orzmtrMoisR50QJAGcaYmqQR
        hAUk8nupvSGm4Kj54rOa/EIrK6dyPmXpPHBiQLbaCfqovdD//Cv2rY6yubtkZFiw
        KGc4hDf5W0CVmQ==
        -----END PRIVATE KEY-----

        """

    private static let shortPublicKey = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDJhpGmMh/+YpA+Zk2Uzwyh5sPj
        l8w6N9paPWUAhLoRbSK0XDze8wEYPMigMEWib9OrZCU3yFoSNnUZvjG6OF5QN+Is
        tmhmwhskva6g3TuruMMYKvrsXFeBNL98WLzHJoUiZO+eu/OvOZHqJENt0pmwoVbj
        uv3/ql5p0mjvkKPFSwIDAQAB
        -----END PUBLIC KEY-----

        """
}
