extension DigestAuthenticator {
    /// Takes the challenges of a 401 or 407; see `take(server:proxy:attempt:)`.
    public mutating func take(_ response: SIPMessage, attempt: inout DigestAttempt) -> Bool {
        take(
            server: response.headers.all(.wwwAuthenticate), proxy: response.headers.all(.proxyAuthenticate),
            attempt: &attempt)
    }

    /// Puts the credentials for every realm that has challenged us into a request, in the place of older ones.
    public mutating func authorize(_ request: inout SIPMessage) {
        request.headers.removeAll(.authorization)
        request.headers.removeAll(.proxyAuthorization)
        guard let method = request.method, let uri = request.requestURI else { return }
        for (challenger, value) in authorizations(
            method: method.rawValue, uri: uri.description, body: request.body)
        {
            request.headers.append(challenger == .server ? .authorization : .proxyAuthorization, value)
        }
    }
}
