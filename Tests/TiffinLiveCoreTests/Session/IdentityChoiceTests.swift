import Testing

@testable import TiffinLiveCore

@Suite("Contract 4: one identity of several copies of a cookie (B28)")
struct IdentityChoiceTests {
    private enum Copy: CaseIterable {
        case good, longer, otherUser, otherRole, expired, revoked, invalid, limited, unavailable

        func add(to choice: inout IdentityChoice) {
            switch self {
            case .good: choice.add(ClaimsSet(user: "a", role: "r", expiresAt: 10))
            case .longer: choice.add(ClaimsSet(user: "a", role: "r", expiresAt: 20))
            case .otherUser: choice.add(ClaimsSet(user: "b", role: "r", expiresAt: 30))
            case .otherRole: choice.add(ClaimsSet(user: "a", role: "s", expiresAt: 30))
            case .expired: choice.add(.expired)
            case .revoked: choice.add(.revoked)
            case .invalid: choice.add(.invalid)
            case .limited: choice.add(.rateLimited(retryAfter: 3))
            case .unavailable: choice.add(.unavailable)
            }
        }
    }

    private func outcome(_ copies: [Copy]) -> String {
        var choice = IdentityChoice()
        for copy in copies { copy.add(to: &choice) }
        switch choice.outcome {
        case .success(let claims): return "\(claims.user) \(claims.role) \(claims.expiresAt)"
        case .failure(let refused):
            switch refused.reason {
            case .unauthorized(_, let error): return error
            case .rateLimited: return "429"
            case .unavailable: return "503"
            }
        }
    }

    @Test("does not depend on the order")
    func order() {
        for one in Copy.allCases {
            for two in Copy.allCases {
                #expect(outcome([one, two]) == outcome([two, one]), "\(one) \(two)")
                for three in Copy.allCases {
                    #expect(outcome([one, two, three]) == outcome([three, one, two]), "\(one) \(two) \(three)")
                    #expect(outcome([one, two, three]) == outcome([two, one, three]), "\(one) \(two) \(three)")
                }
            }
        }
    }

    @Test("is the good one, the longer one, or nobody")
    func rules() {
        #expect(outcome([.expired, .good]) == "a r 10")
        #expect(outcome([.revoked, .invalid, .limited, .good]) == "a r 10")
        #expect(outcome([.good, .longer]) == "a r 20")
        #expect(outcome([.good, .otherUser]) == "invalid_token")
        #expect(outcome([.good, .otherRole]) == "invalid_token")
        #expect(outcome([.good, .otherUser, .longer]) == "invalid_token")
        #expect(outcome([.good, .unavailable]) == "503", "the other copy could be another user's")
        #expect(outcome([.invalid, .expired]) == "token_expired")
        #expect(outcome([.expired, .revoked]) == "revoked")
        #expect(outcome([.revoked, .limited]) == "429")
        #expect(outcome([]) == "invalid_token")
    }
}
