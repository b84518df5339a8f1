/** POST /api/integrations/validateToken: whether a key works. */

import { Type } from 'typebox';
import { defineEndpoint } from '../http/endpoint.ts';

export const validateToken = defineEndpoint({
  path: '/api/integrations/validateToken',
  summary: 'Tells whether the API key works.',
  description: 'Answers an empty envelope to a key that works, and 401 to any other.',
  request: Type.Object({}),
  response: {},
  example: { request: {}, response: {} },
  handler: async () => ({}),
});
