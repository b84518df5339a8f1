/** `GET /api/openapi/public.json` and the page at `/api/openapi/` to read and try it, served by ourselves alone. */

import swagger, { type StaticDocumentSpec } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

const DOCUMENT_PATH = '/api/openapi/public.json';
const PAGE_PATH = '/api/openapi';

/** Swagger UI sets style attributes on its elements and draws its icons from data URLs; nothing else is let through. */
const PAGE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export async function openApiPage(
  api: FastifyInstance,
  options: { readonly document: object },
): Promise<void> {
  const body = JSON.stringify(options.document);
  api.get(DOCUMENT_PATH, (_request, reply) => {
    reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('access-control-allow-origin', '*');
    return reply.send(body);
  });
  // The plugin's types end at OpenAPI 3.0; it hands the document on as it is.
  const document = options.document as StaticDocumentSpec['document'];
  await api.register(swagger, { mode: 'static', specification: { document } });
  await api.register(async (page) => {
    page.addHook('onSend', async (_request, reply) => {
      reply.header('content-security-policy', PAGE_CSP);
    });
    await page.register(swaggerUi, {
      routePrefix: PAGE_PATH,
      uiConfig: { docExpansion: 'none', deepLinking: true, tryItOutEnabled: true },
    });
  });
}
