/// What comes from Redis and goes to the workers.
extension ControlLoop {
    func join(_ redis: RedisBackend) {
        redis.reset = { [unowned self] topic, position in deliver(.reset(topic: topic, position: position)) }
        redis.grantChanged = { [unowned self] grant in tellAll(.grant(grant)) }
        redis.revocations.act = { [unowned self] revocation, wall, closed in
            revoke(revocation, wall: wall, complete: closed)
        }
        redis.revocations.malformed = { [unowned self] in metrics.revocationsMalformed += 1 }
        redis.readinessChanged = { [unowned self] in tellReadiness() }
        redis.revocations.becameCurrent = { [unowned self] in tellReadiness() }
        redis.start()
        // Nothing is promised before Redis is there.
        tellReadiness()
    }
}
