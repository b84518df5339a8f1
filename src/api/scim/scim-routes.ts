/**
 * Provisioning by SCIM 2.0 (RFC 7643, RFC 7644) at `/scim/v2`: a directory adds, changes, and removes an organization's people, and tells
 * their groups. The token says which organization it is, so nothing in a request can name another one.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { actAs } from '../../audit/acting-principal.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { AdmissionParts } from '../../http/admission.ts';
import { parseJsonBody } from '../../http/request-body.ts';
import { methodNotAllowed } from '../../http/unknown-path.ts';
import { SCIM_ERRORS } from '../../scim/errors.ts';
import { type BulkCall, runBulk } from '../../scim/scim-bulk.ts';
import { readPatch } from '../../scim/scim-patch.ts';
import { listResponse, readQuery, selected } from '../../scim/scim-query.ts';
import { GROUP_TYPE, type ScimResourceType, type ScimValues, USER_TYPE } from '../../scim/scim-schema.ts';
import { SCIM_PATH, type ScimServices } from '../../scim/scim-services.ts';
import { versionIn } from '../../scim/scim-version.ts';
import { admitScim, principalOfScim, tokenOf } from './scim-admission.ts';
import { resourceTypes, schemas, serviceProviderConfig, wholeList } from './scim-discovery.ts';
import { respondScimFailure, sendResource, sendScim } from './scim-response.ts';

export interface ScimRoutesOptions {
  readonly scim: ScimServices;
  readonly admission: AdmissionParts;
  readonly log: Log;
  /** Of any request, in bytes. */
  readonly bodyBytes: number;
}

/** Users, or groups. */
interface Collection {
  readonly type: ScimResourceType;
  readonly resources: Pick<
    ScimServices['groups'],
    'list' | 'get' | 'create' | 'replace' | 'patch' | 'remove'
  >;
}

interface IdParams {
  readonly id: string;
}

/** Registers in an encapsulated scope: its body parser and its failures apply to these routes only. */
export async function scimRoutes(api: FastifyInstance, options: ScimRoutesOptions): Promise<void> {
  const { scim, admission, log } = options;
  api.removeAllContentTypeParsers();
  api.addContentTypeParser('*', { parseAs: 'string' }, (_request: FastifyRequest, body: string) =>
    parseJsonBody(body),
  );
  api.setErrorHandler((error, request, reply) => respondScimFailure(error, request, reply, log));
  api.addHook('onRequest', async (request, reply) => {
    await admitScim(request, reply, scim.tokens, admission);
    // Directories send bodies with any content type, or none.
    request.raw.headers['content-type'] = 'application/scim+json';
  });
  api.addHook('onResponse', async (request, reply) => {
    if (request.scim === null) return;
    const { token, detail } = request.scim;
    const path = pathBelow(request.url);
    await scim.tokens
      .noteUse(token, { method: request.method, path, status: reply.statusCode, detail })
      .catch((err: unknown) => log.debug({ err }, 'provisioning request not noted'));
  });
  const collections: readonly Collection[] = [
    { type: USER_TYPE, resources: scim.users },
    { type: GROUP_TYPE, resources: scim.groups },
  ];
  discoveryRoutes(api, options);
  for (const collection of collections) resourceRoutes(api, collection);
  searchRoute(api, `${SCIM_PATH}/.search`, collections);
  bulkRoute(api, collections);
  unknownRoutes(api);
}

/** Without the query, which may contain addresses of people. */
function pathBelow(url: string): string {
  return url.split('?', 1)[0]!.slice(SCIM_PATH.length) || '/';
}

function orgOf({ scim }: FastifyRequest): Ruuid {
  return tokenOf(scim).orgUuid;
}

function ifMatchOf({ headers }: FastifyRequest): string | null {
  return headers['if-match'] ?? null;
}

function notFound(): GatewayError {
  return new GatewayError(SCIM_ERRORS.SCIM_RESOURCE_NOT_FOUND);
}

function discoveryRoutes(api: FastifyInstance, { scim, bodyBytes }: ScimRoutesOptions): void {
  const config = serviceProviderConfig(scim.baseUrl, bodyBytes);
  const lists = { ResourceTypes: resourceTypes(scim.baseUrl), Schemas: schemas(scim.baseUrl) };
  api.get(`${SCIM_PATH}/ServiceProviderConfig`, (_request, reply) => sendScim(reply, 200, config));
  readOnly(api, `${SCIM_PATH}/ServiceProviderConfig`);
  for (const [name, all] of Object.entries(lists)) {
    api.get(`${SCIM_PATH}/${name}`, (_request, reply) => sendScim(reply, 200, wholeList(all)));
    api.get<{ Params: IdParams }>(`${SCIM_PATH}/${name}/:id`, (request, reply) => {
      const found = all.find(({ id }) => id === request.params.id);
      if (found === undefined) throw notFound();
      return sendScim(reply, 200, found);
    });
    readOnly(api, `${SCIM_PATH}/${name}`);
  }
}

function readOnly(api: FastifyInstance, url: string): void {
  api.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE'],
    url,
    handler: async () => {
      throw methodNotAllowed(['GET']);
    },
  });
}

function resourceRoutes(api: FastifyInstance, collection: Collection): void {
  const { type, resources } = collection;
  const url = `${SCIM_PATH}${type.endpoint}`;
  api.get(url, async (request, reply) => {
    const query = readQuery(request.query);
    return sendScim(reply, 200, await search(orgOf(request), [collection], query));
  });
  searchRoute(api, `${url}/.search`, [collection]);
  api.post(url, async (request, reply) => {
    const query = readQuery(request.query);
    const values = await acting(request, () => resources.create(orgOf(request), request.body));
    return sendResource(reply, 201, { type, values }, query);
  });
  api.get<{ Params: IdParams }>(`${url}/:id`, async (request, reply) => {
    const query = readQuery(request.query);
    const values = await resources.get(orgOf(request), request.params.id);
    return sendResource(reply, 200, { type, values }, query);
  });
  api.put<{ Params: IdParams }>(`${url}/:id`, async (request, reply) => {
    const query = readQuery(request.query);
    const values = await acting(request, () =>
      resources.replace(orgOf(request), request.params.id, request.body, ifMatchOf(request)),
    );
    return sendResource(reply, 200, { type, values }, query);
  });
  api.patch<{ Params: IdParams }>(`${url}/:id`, async (request, reply) => {
    const query = readQuery(request.query);
    const operations = readPatch(request.body);
    const values = await acting(request, () =>
      resources.patch(orgOf(request), request.params.id, operations, ifMatchOf(request)),
    );
    return sendResource(reply, 200, { type, values }, query);
  });
  api.delete<{ Params: IdParams }>(`${url}/:id`, async (request, reply) => {
    await acting(request, () => resources.remove(orgOf(request), request.params.id, ifMatchOf(request)));
    return reply.code(204).send();
  });
}

function acting<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
  return actAs(principalOfScim(request), work);
}

function searchRoute(api: FastifyInstance, url: string, collections: readonly Collection[]): void {
  api.post(url, async (request, reply) =>
    sendScim(reply, 200, await search(orgOf(request), collections, readQuery(request.body))),
  );
}

async function search(
  orgUuid: Ruuid,
  collections: readonly Collection[],
  query: ReturnType<typeof readQuery>,
): Promise<object> {
  const lists = await Promise.all(
    collections.map(async ({ type, resources }) =>
      (await resources.list(orgUuid)).map((values) => ({ type, values })),
    ),
  );
  const types = collections.map(({ type }) => type);
  return listResponse(selected(lists.flat(), types, query), query);
}

function bulkRoute(api: FastifyInstance, collections: readonly Collection[]): void {
  api.post(`${SCIM_PATH}/Bulk`, async (request, reply) => {
    const orgUuid = orgOf(request);
    const response = await acting(request, () =>
      runBulk(request.body, (call) => bulkCall(orgUuid, collections, call)),
    );
    return sendScim(reply, 200, response);
  });
}

async function bulkCall(orgUuid: Ruuid, collections: readonly Collection[], call: BulkCall) {
  const { method, path, data, ifMatch } = call;
  const [, endpoint = '', id = '', ...deeper] = path.split('/');
  const collection = collections.find(({ type }) => type.endpoint === `/${endpoint}`);
  if (collection === undefined || deeper.length > 0 || (method === 'POST') !== (id === '')) throw notFound();
  const { resources } = collection;
  const location = (values: ScimValues) => (values.meta as { readonly location: string }).location;
  if (method === 'DELETE') {
    const before = await resources.get(orgUuid, id);
    await resources.remove(orgUuid, id, ifMatch);
    return { status: 204, id, location: location(before), version: null };
  }
  const values =
    method === 'POST'
      ? await resources.create(orgUuid, data)
      : method === 'PUT'
        ? await resources.replace(orgUuid, id, data, ifMatch)
        : await resources.patch(orgUuid, id, readPatch(data), ifMatch);
  return {
    status: method === 'POST' ? 201 : 200,
    id: String(values.id),
    location: location(values),
    version: versionIn(values),
  };
}

/** What is below `/scim/v2` and none of the above. */
function unknownRoutes(api: FastifyInstance): void {
  const unsupported = async (): Promise<FastifyReply> => {
    throw new GatewayError(SCIM_ERRORS.SCIM_NOT_SUPPORTED);
  };
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  api.route({ method: methods, url: `${SCIM_PATH}/Me`, handler: unsupported });
  api.route({
    method: methods,
    url: `${SCIM_PATH}/*`,
    handler: async (request) => {
      const [, name = '', id] = pathBelow(request.url).split('/');
      if (name !== 'Users' && name !== 'Groups') throw notFound();
      throw methodNotAllowed(id === undefined ? ['GET', 'POST'] : ['GET', 'PUT', 'PATCH', 'DELETE']);
    },
  });
}
