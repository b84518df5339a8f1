/** The reference of `start`: a process that loads Fastify, serves one route, and says when it listens. */

import Fastify from 'fastify';

const app = Fastify();
app.get('/', () => 'ok');
await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write('ready\n');
