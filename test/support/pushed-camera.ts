/** A camera behind a recorder that pushes: ffmpeg reads it by RTSP and pushes the stream, untouched, by RTMP. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { newRuuid } from '../../src/core/ruuid.ts';
import { type CredentialUrl, Secret } from '../../src/core/secret.ts';
import { publishDigest } from '../../src/sources/rtmp/publish-key.ts';
import { PublishSource } from '../../src/sources/rtmp/publish-source.ts';
import { RtmpListener } from '../../src/sources/rtmp/rtmp-listener.ts';
import type { Source, SourceInstance } from '../../src/stream/source/source.ts';
import { until } from './until.ts';

const KEY = 'recorder-0123456789abcdefghij';
const READ = ['-nostdin', '-v', 'error', '-rtsp_transport', 'tcp', '-analyzeduration', '500000'];

/** Each instance has a listener and a recorder of its own. */
export function pushedCamera(url: CredentialUrl, silenceMs: number): Source {
  return {
    engine: 'rtmp',
    open(sink): SourceInstance {
      const listen = { host: '127.0.0.1', port: 0 };
      const common = { clock: systemClock, log: silentLog };
      const listener = new RtmpListener({ ...common, listen, silenceMs, onPublisher: () => undefined });
      const slot = listener.put(newRuuid(), publishDigest(new Secret(KEY)), {
        carries: () => false,
        open: () => {
          throw new Error('no other audio');
        },
      });
      const source = new PublishSource({ ...common, slot, listenFault: () => listener.fault });
      const instance = source.open(sink);
      const recorder = startRecorder(url, listener);
      return {
        close: async () => {
          await instance.close();
          listener.close();
          const child = await recorder;
          if (child === null || child.exitCode !== null || child.signalCode !== null) return;
          const exited = once(child, 'exit');
          child.kill('SIGKILL');
          await exited;
        },
      };
    },
  };
}

async function startRecorder(url: CredentialUrl, listener: RtmpListener): Promise<ChildProcess | null> {
  const port = await until('the listener', () => listener.port, 2_000).catch(() => null);
  if (port === null) return null;
  const target = `rtmp://127.0.0.1:${port}/live/${KEY}`;
  return spawn('ffmpeg', [...READ, '-i', url.reveal(), '-c', 'copy', '-f', 'flv', target], {
    stdio: 'ignore',
  });
}
