import { CLIENT_AUTH_METHODS } from '../../accounts/client-registration.ts';
import { withoutTrailingSlashes } from '../../core/trailing-slashes.ts';

/** Where things are: authorization server metadata (RFC 8414) and protected resource metadata (RFC 9728). */

const SERVER_DOCUMENT = '/.well-known/oauth-authorization-server';
const RESOURCE_DOCUMENT = '/.well-known/oauth-protected-resource';

export const AUTHORIZE_PATH = '/api/oauth/authorize';
export const TOKEN_PATH = '/api/oauth/token';
export const REVOKE_PATH = '/api/oauth/revoke';
export const REGISTER_PATH = '/oauth/register';

/** The paths of a route: the specification's, and the shorter one of other clients of the family. */
export function withShortPath(path: `/api/${string}`): readonly string[] {
  return [path, path.slice('/api'.length)];
}

export interface OAuthAddresses {
  /** The API's base address: names both the authorization server and the protected resource. */
  readonly issuer: string;
  /** Paths of the documents: at the root, and with the base address's own path appended. */
  readonly serverDocumentPaths: readonly string[];
  readonly resourceDocumentPaths: readonly string[];
  readonly resourceDocumentUrl: string;
}

/** `publicApiUrl`: the base address that callers use, with or without a path or a trailing slash. */
export function oauthAddresses(publicApiUrl: string): OAuthAddresses {
  const { origin, pathname } = new URL(publicApiUrl);
  const basePath = withoutTrailingSlashes(pathname);
  const paths = (document: string) => [...new Set([document, `${document}${basePath}`])];
  return {
    issuer: `${origin}${basePath}`,
    serverDocumentPaths: paths(SERVER_DOCUMENT),
    resourceDocumentPaths: paths(RESOURCE_DOCUMENT),
    resourceDocumentUrl: `${origin}${RESOURCE_DOCUMENT}${basePath}`,
  };
}

/** RFC 8414 §2. */
export function serverMetadata({ issuer }: OAuthAddresses) {
  return {
    issuer,
    authorization_endpoint: `${issuer}${AUTHORIZE_PATH}`,
    token_endpoint: `${issuer}${TOKEN_PATH}`,
    revocation_endpoint: `${issuer}${REVOKE_PATH}`,
    registration_endpoint: `${issuer}${REGISTER_PATH}`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: CLIENT_AUTH_METHODS,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTH_METHODS,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    protected_resources: [issuer],
  };
}

/** RFC 9728 §2. */
export function resourceMetadata({ issuer }: OAuthAddresses) {
  return {
    resource: issuer,
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    resource_name: 'Sluice management API',
  };
}

/** `WWW-Authenticate` of a 401 (RFC 9728 §5.1). */
export function bearerChallenge({ resourceDocumentUrl }: OAuthAddresses): string {
  return `Bearer resource_metadata="${resourceDocumentUrl}"`;
}
