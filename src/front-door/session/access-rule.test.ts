import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { collectRoutes } from './access-rule.ts';

describe('collectRoutes', () => {
  it('lists every method of a route with its rule', async () => {
    const app = fastify();
    const routes = collectRoutes(app);
    app.get('/a', { config: { access: 'public' } }, async () => 'a');
    app.route({ method: ['POST', 'PUT'], url: '/b', config: { access: 'grant' }, handler: async () => 'b' });
    await app.ready();
    expect(routes).toEqual([
      { method: 'GET', path: '/a', access: 'public' },
      { method: 'HEAD', path: '/a', access: 'public' },
      { method: 'POST', path: '/b', access: 'grant' },
      { method: 'PUT', path: '/b', access: 'grant' },
    ]);
  });

  it('refuses a route without a rule, wherever it is declared', async () => {
    const app = fastify();
    collectRoutes(app);
    const missing = expect.objectContaining({ code: 'ACCESS_RULE_MISSING', context: { path: '/a' } });
    expect(() => app.get('/a', async () => 'a')).toThrow(missing);
    app.register(async (scope) => {
      scope.get('/a', { config: {} }, async () => 'a');
    });
    await expect(app.ready()).rejects.toEqual(missing);
  });
});
