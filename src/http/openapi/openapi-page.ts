/** `GET /api/openapi/public.json` and the page at `/api/openapi/` to read and try it. Both are served by us alone. */

import swagger, { type StaticDocumentSpec } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { CachedDocument } from './cached-document.ts';

const DOCUMENT_PATH = '/api/openapi/public.json';
const PAGE_PATH = '/api/openapi';
/** Where the page loads the document from. */
const PAGE_DOCUMENT_PATH = '/api/openapi/json';

/** Swagger UI sets style attributes on its elements and draws its icons from data URLs; nothing else is allowed. */
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

/** The icon of the viewer page, with the name next to it. */
const ICON = '<rect width="32" height="32" rx="8" fill="#1559c0"/><path d="M12 9.5v13l11-6.5z" fill="#fff"/>';
const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${ICON}</svg>`;
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" width="130" height="40" viewBox="0 0 104 32"><title>Sluice</title>${ICON}<text x="42" y="23" font-family="sans-serif" font-size="20" font-weight="bold" fill="#fff">Sluice</text></svg>`;
const TITLE = 'Sluice management API';

export async function openApiPage(
  api: FastifyInstance,
  options: { readonly document: object },
): Promise<void> {
  const cached = new CachedDocument(options.document);
  api.get(DOCUMENT_PATH, (request, reply) => cached.send(request, reply));
  // The plugin's types end at OpenAPI 3.0; it passes the document on unchanged.
  const document = options.document as StaticDocumentSpec['document'];
  await api.register(swagger, { mode: 'static', specification: { document } });
  await api.register(async (page) => {
    page.addHook('onRequest', async (request, reply) => {
      if (request.routeOptions.url === PAGE_DOCUMENT_PATH) return cached.send(request, reply);
    });
    page.addHook('onSend', async (_request, reply) => {
      reply.header('content-security-policy', PAGE_CSP);
    });
    await page.register(swaggerUi, {
      routePrefix: PAGE_PATH,
      uiConfig: { docExpansion: 'none', deepLinking: true, tryItOutEnabled: true, filter: true },
      logo: { type: 'image/svg+xml', content: LOGO },
      theme: {
        title: TITLE,
        favicon: [
          {
            filename: 'favicon.svg',
            rel: 'icon',
            type: 'image/svg+xml',
            sizes: 'any',
            content: Buffer.from(FAVICON),
          },
        ],
      },
    });
  });
}
