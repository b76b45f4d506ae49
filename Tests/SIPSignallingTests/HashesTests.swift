import SIPSignalling
import Testing

@Suite("Hashes") struct HashesTests {
    @Test("Digests are those of the algorithms' own test vectors")
    func vectors() {
        let abc = Array("abc".utf8)
        #expect(Hashes.md5(abc) == "900150983cd24fb0d6963f7d28e17f72")
        #expect(Hashes.sha256(abc) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(Hashes.sha512_256(abc) == "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23")
        #expect(Hashes.md5([]) == "d41d8cd98f00b204e9800998ecf8427e")
    }

    @Test("Random octets have the length asked for and do not repeat")
    func random() {
        #expect(Hashes.random(30)?.count == 30)
        #expect(Hashes.random(30) != Hashes.random(30))
        #expect(Hashes.randomToken(8).utf8.count == 16)
        #expect(Hashes.random(0) == [])
        #expect(Hashes.random(-1) == nil)
    }
}
