import Glibc
import Testing

@testable import TiffinLiveCore

@Suite("Sample configuration")
struct ConfigurationSampleTests {
    private static let path = #filePath.replacing("Tests/TiffinLiveCoreTests/Server/ConfigurationSampleTests.swift")

    @Test("the sample loads and is exactly the defaults")
    func sampleIsTheDefaults() throws {
        let sample = try ServerConfiguration.load(path: Self.path)
        #expect(String(reflecting: sample) == String(reflecting: ServerConfiguration()))
    }

    @Test("the sample mentions every key, and the setting table every key of the sample")
    func sampleIsComplete() throws {
        let bytes = try SecretReference.file(Self.path).read()
        var keys: Set<String> = []
        func collect(_ node: JSON5Node, _ prefix: String) {
            guard case .object(let members) = node.value else { return }
            for member in members {
                let key = ConfigurationLoader.key(prefix, member.name)
                keys.insert(key)
                if ConfigurationSetting.all[key] == nil { collect(member.value, key) }
            }
        }
        collect(try JSON5Reader.read(bytes), "")
        #expect(Set(ConfigurationSetting.all.keys).subtracting(keys) == [])
        for key in keys where ConfigurationSetting.all[key] == nil {
            #expect(!ConfigurationSetting.names(below: key).isEmpty, "\(key)")
        }
    }
}

extension String {
    /// The path of the sample, from the path of this file.
    fileprivate func replacing(_ suffix: String) -> String {
        String(dropLast(suffix.count)) + "config/tiffin-live.json5"
    }
}
