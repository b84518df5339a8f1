/** POST /api/integrations/validateToken: whether a key works. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';

export const validateToken = defineEndpoint({
  path: '/api/integrations/validateToken',
  summary: 'Checks whether the API key works.',
  description: 'Returns an empty envelope if the key works, and 401 otherwise.',
  request: Type.Object({}),
  response: {},
  example: { request: {}, response: {} },
  handler: async () => ({}),
});
