/** As much of `oidc-provider` as the tests use; it has no types of its own. */
declare module 'oidc-provider' {
  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): (
      request: import('node:http').IncomingMessage,
      response: import('node:http').ServerResponse,
    ) => void;
  }
}
