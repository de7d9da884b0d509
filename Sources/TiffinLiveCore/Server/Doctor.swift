/// `doctor`: tries what the server would need at its start and later, changes nothing, and says of each thing that it is
/// well, or what to do. Blocks; runs beside a server as well as without one.
package struct Doctor {
    let configuration: ServerConfiguration
    private(set) var findings: [DoctorFinding] = []

    /// - Parameter token: one that the auth service has just issued, to hold its clock against this machine's; may be nil.
    package static func examine(_ configuration: ServerConfiguration, token: [UInt8]? = nil) -> [DoctorFinding] {
        Socket.ignoreBrokenPipe()
        var doctor = Doctor(configuration: configuration)
        doctor.examineKeys(token: token)
        doctor.examineCertificate()
        doctor.examineDescriptors()
        doctor.examineAddresses()
        doctor.examineRedis()
        return doctor.findings
    }

    init(configuration: ServerConfiguration) {
        self.configuration = configuration
    }

    mutating func ok(_ subject: String, _ text: String) {
        findings.append(DoctorFinding(verdict: .ok, subject: subject, text: text))
    }

    mutating func fault(_ subject: String, _ text: String) {
        findings.append(DoctorFinding(verdict: .fault, subject: subject, text: text))
    }

    mutating func unknown(_ subject: String, _ text: String) {
        findings.append(DoctorFinding(verdict: .unknown, subject: subject, text: text))
    }
}
