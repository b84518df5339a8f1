/** An application written with a third-party library goes through OAuth with a running gateway. */

import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { API_KEY, type Json, TestGateway } from '../support/gateway.ts';

const REDIRECT_URI = 'http://127.0.0.1:7777/callback';
/** This test's gateway is on loopback. */
const INSECURE = { [oauth.allowInsecureRequests]: true };

let gateway: TestGateway;
let application: oauth.Client;
let authenticate: oauth.ClientAuth;
beforeAll(async () => {
  gateway = await TestGateway.start({ demo: false });
  const response = await gateway.call('oauth/submitApplication', { name: 'Desk', redirectUri: REDIRECT_URI });
  application = { client_id: response.clientId };
  authenticate = oauth.ClientSecretBasic(response.clientSecret);
});
afterAll(() => gateway?.dispose());

/** Where the protected resource says to go, and what is said there. */
async function discover(): Promise<oauth.AuthorizationServer> {
  const resource = new URL(gateway.apiUrl);
  const described = await oauth.resourceDiscoveryRequest(resource, INSECURE);
  const { authorization_servers = [] } = await oauth.processResourceDiscoveryResponse(resource, described);
  const issuer = new URL(authorization_servers[0]!);
  const metadata = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...INSECURE });
  return oauth.processDiscoveryResponse(issuer, metadata);
}

/** What a console does after its user has consented: it has the key, and sends the browser to `location`. */
async function consent(url: URL): Promise<URL> {
  const response = await fetch(url, {
    headers: { 'x-auth-apikey': API_KEY, 'x-auth-scheme': 'api-token' },
  });
  const { status, location } = (await response.json()) as Json;
  expect(status).toBe(302);
  return new URL(location);
}

async function listCameras(server: oauth.AuthorizationServer, accessToken: string): Promise<Response> {
  const url = new URL('/api/camera/getMinimalCameraStateList', server.issuer);
  const headers = new Headers({ 'content-type': 'application/json' });
  return oauth.protectedResourceRequest(accessToken, 'POST', url, headers, '{}', INSECURE);
}

async function authorizationUrl(
  server: oauth.AuthorizationServer,
  verifier: string,
  state?: string,
): Promise<URL> {
  const url = new URL(server.authorization_endpoint!);
  url.search = new URLSearchParams({
    client_id: application.client_id,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    consent_given: 'true',
    ...(state === undefined ? {} : { state }),
  }).toString();
  return url;
}

it('grants, renews and ends access', async () => {
  const server = await discover();
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const redirected = await consent(await authorizationUrl(server, verifier, state));
  expect(redirected.href.startsWith(`${REDIRECT_URI}?`)).toBe(true);

  const parameters = oauth.validateAuthResponse(server, application, redirected, state);
  const exchange = await oauth.authorizationCodeGrantRequest(
    server,
    application,
    authenticate,
    parameters,
    REDIRECT_URI,
    verifier,
    INSECURE,
  );
  const first = await oauth.processAuthorizationCodeResponse(server, application, exchange);
  const listed = await listCameras(server, first.access_token);
  expect(await listed.json()).toMatchObject({ error: false, cameraStates: [] });

  const renewal = await oauth.refreshTokenGrantRequest(
    server,
    application,
    authenticate,
    first.refresh_token!,
    INSECURE,
  );
  const second = await oauth.processRefreshTokenResponse(server, application, renewal);
  expect((await listCameras(server, second.access_token)).status).toBe(200);

  const revocation = await oauth.revocationRequest(
    server,
    application,
    authenticate,
    second.refresh_token!,
    INSECURE,
  );
  await oauth.processRevocationResponse(revocation);
  const refusal = await listCameras(server, second.access_token).catch((thrown) => thrown);
  expect(refusal).toBeInstanceOf(oauth.WWWAuthenticateChallengeError);
  expect(refusal).toMatchObject({ status: 401, cause: [{ scheme: 'bearer' }] });
});

it('refuses a code that was exchanged with another verifier', async () => {
  const server = await discover();
  const redirected = await consent(await authorizationUrl(server, oauth.generateRandomCodeVerifier()));
  const parameters = oauth.validateAuthResponse(server, application, redirected, oauth.expectNoState);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    application,
    authenticate,
    parameters,
    REDIRECT_URI,
    oauth.generateRandomCodeVerifier(),
    INSECURE,
  );
  await expect(oauth.processAuthorizationCodeResponse(server, application, response)).rejects.toMatchObject({
    error: 'invalid_grant',
    status: 400,
  });
});

it('registers a client that then gets access, and none without an initial access token', async () => {
  const server = await discover();
  const metadata = { client_name: 'Registered desk', redirect_uris: [REDIRECT_URI] };
  const register = async (fields: object, initialAccessToken?: string) =>
    oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        server,
        { ...metadata, ...fields },
        { ...INSECURE, ...(initialAccessToken === undefined ? {} : { initialAccessToken }) },
      ),
    );
  await expect(register({})).rejects.toMatchObject({ status: 401, cause: [{ scheme: 'bearer' }] });
  await expect(register({ redirect_uris: ['http://desk.example/'] }, API_KEY)).rejects.toMatchObject({
    error: 'invalid_redirect_uri',
    status: 400,
  });
  const client = await register({}, API_KEY);
  expect(client).toMatchObject({ ...metadata, client_secret_expires_at: 0 });
  const verifier = oauth.generateRandomCodeVerifier();
  const url = await authorizationUrl(server, verifier);
  url.searchParams.set('client_id', client.client_id);
  const parameters = oauth.validateAuthResponse(server, client, await consent(url), oauth.expectNoState);
  const exchange = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.ClientSecretBasic(client.client_secret as string),
    parameters,
    REDIRECT_URI,
    verifier,
    INSECURE,
  );
  const { access_token } = await oauth.processAuthorizationCodeResponse(server, client, exchange);
  expect((await listCameras(server, access_token)).status).toBe(200);
});
