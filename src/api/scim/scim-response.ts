/** Responses of the SCIM routes: their media type, versions, and failures. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../../core/log.ts';
import { failureResponse } from '../../http/failure-response.ts';
import { scimErrorBody, scimFailureOf } from '../../scim/scim-failure.ts';
import { projected, type ScimQuery } from '../../scim/scim-query.ts';
import type { ScimResourceType, ScimValues } from '../../scim/scim-schema.ts';
import { namesVersion, versionIn } from '../../scim/scim-version.ts';

const MEDIA_TYPE = 'application/scim+json; charset=utf-8';

export function sendScim(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply.code(status).header('content-type', MEDIA_TYPE).send(JSON.stringify(body));
}

/** A resource, with its version; 304 without it if the client has that version. */
export function sendResource(
  reply: FastifyReply,
  status: 200 | 201,
  resource: { readonly type: ScimResourceType; readonly values: ScimValues },
  query: ScimQuery,
): FastifyReply {
  const version = versionIn(resource.values);
  const { location } = resource.values.meta as { readonly location: string };
  reply.header('etag', version);
  if (status === 201) reply.header('location', location);
  const ifNoneMatch = reply.request.headers['if-none-match'];
  if (reply.request.method === 'GET' && ifNoneMatch !== undefined && namesVersion(ifNoneMatch, version)) {
    return reply.code(304).send();
  }
  return sendScim(reply, status, projected(resource, query));
}

/** RFC 7644 §3.12. Resolves transport failures as everywhere else, and the others as SCIM does. */
export function respondScimFailure(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): FastifyReply {
  const { status: transport, headers, error } = failureResponse(thrown, request.id);
  const { status: ofScim, scimType } = scimFailureOf(error);
  // 200 is the status of a refusal only in the envelope of the management API.
  const status = transport === 200 ? ofScim : transport;
  const isSyntax = status === 400 && scimType === undefined;
  const body = {
    ...scimErrorBody(error),
    ...(isSyntax ? { scimType: 'invalidSyntax' } : {}),
    status: String(status),
  };
  const fields = { requestId: request.id, path: request.routeOptions.url ?? null, code: error.code };
  if (error.kind === 'internal')
    log.error({ ...fields, err: error, cause: error.cause }, 'provisioning failed internally');
  else log.debug({ ...fields, context: error.context }, 'provisioning request refused');
  if (request.scim !== null) request.scim.detail = body.detail;
  return sendScim(reply.headers(headers), status, body);
}
