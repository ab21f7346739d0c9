/** The parts of oidc-provider that tests use; it has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Grant {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  }

  export default class Provider {
    constructor(issuer: string, configuration: object);
    readonly Grant: new (of: {
      accountId: string;
      clientId: string;
    }) => Grant;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ readonly params: Readonly<Record<string, unknown>> }>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }
}
