import { Readable } from 'node:stream';
import Fastify from 'fastify';
import type { Ruuid } from '../../src/core/ruuid.ts';
import { parseMediaName } from '../../src/hls/media-names.ts';
import { parsePlaylistQuery } from '../../src/hls/playlist-query.ts';
import type { LiveCameras } from '../../src/stream/live-media.ts';
export interface BenchFrontDoor {
  readonly port: number;
  readonly mediaPath: string;
  close(): Promise<void>;
}
export async function startBenchFrontDoor(cameras: LiveCameras, uuid: Ruuid): Promise<BenchFrontDoor> {
  const app = Fastify();
  app.get<{ Params: { name: string } }>('/live/x/:name', (request, reply) => {
    const rendition = cameras.get(uuid)!.rendition('main')!;
    reply.header('access-control-allow-origin', '*');
    const waiter = (type: string) => ({
      onReady: (b: Buffer) => void reply.header('content-type', type).send(b),
      onGone: () => void reply.code(503).send(),
    });
    if (request.params.name === 'file.m3u8') {
      const at = request.url.indexOf('?');
      const q = parsePlaylistQuery(at < 0 ? '' : request.url.slice(at + 1));
      const b = rendition.playlist(q);
      if (b === 'wait') rendition.awaitPlaylist(q, waiter('application/vnd.apple.mpegurl'));
      else if (typeof b === 'string') reply.code(400).send(b);
      else reply.header('content-type', 'application/vnd.apple.mpegurl').send(b);
      return;
    }
    const n = parseMediaName(request.params.name);
    reply.header('content-type', 'video/mp4');
    if (n?.kind === 'part') {
      const b = rendition.part(n.msn, n.part);
      if (b === 'wait') rendition.awaitPart(n.msn, n.part, waiter('video/mp4'));
      else if (typeof b === 'string') reply.code(404).send(b);
      else reply.send(b);
    } else if (n?.kind === 'segment') {
      const p = rendition.segment(n.msn);
      if (!p) reply.code(404).send();
      else {
        reply.header(
          'content-length',
          p.reduce((s, x) => s + x.length, 0),
        );
        reply.send(Readable.from(p));
      }
    } else reply.code(404).send();
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    port: (app.server.address() as { port: number }).port,
    mediaPath: '/live/x/',
    close: () => app.close(),
  };
}
