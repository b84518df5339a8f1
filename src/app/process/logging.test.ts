import { describe, expect, it } from 'vitest';
import { defineErrors, GatewayError, toGatewayError } from '../../core/errors.ts';
import { CredentialUrl, Secret } from '../../core/secret.ts';
import { createLog } from './logging.ts';

function capture() {
  const lines: string[] = [];
  const log = createLog({
    level: 'debug',
    format: 'json',
    destination: { write: (line) => void lines.push(line) },
  });
  return { log, lines };
}

describe('createLog', () => {
  it('never writes what Secret and CredentialUrl hold, wherever they occur', () => {
    const { log, lines } = capture();
    const url = new CredentialUrl('rtsp://admin:hunter2@camera.local/stream');
    log.info({ url, nested: { url, key: new Secret('hunter2') } }, 'opened');
    expect(lines[0]).toContain('camera.local');
    expect(lines[0]).not.toContain('hunter2');
    expect(lines[0]).not.toContain('admin');
  });

  it('writes code, kind, context and causes of an error', () => {
    const { log, lines } = capture();
    const ERRORS = defineErrors({ CAMERA_GONE: { kind: 'peer-refused', message: 'The camera is gone.' } });
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    log.warn({ err: new GatewayError(ERRORS.CAMERA_GONE, { port: 554 }, cause) }, 'source ended');
    expect(JSON.parse(lines[0]!)).toMatchObject({
      msg: 'source ended',
      err: {
        code: 'CAMERA_GONE',
        kind: 'peer-refused',
        port: 554,
        cause: { message: 'connect ECONNREFUSED' },
      },
    });
    expect(lines[0]).not.toContain('"stack"');
  });

  it('writes the stack of a defect', () => {
    const { log, lines } = capture();
    log.error({ err: toGatewayError(new TypeError('x is undefined')) }, 'request failed');
    expect(JSON.parse(lines[0]!).err.cause.stack).toContain('logging.test.ts');
  });

  it('changes its level, and that of children that exist, while it is in use', () => {
    const { log, lines } = capture();
    const child = log.child({ camera: 'Lobby' });
    const grandchild = child.child({ profile: 'main' });
    const writeAll = () => {
      lines.length = 0;
      for (const each of [log, child, grandchild]) {
        each.debug({}, 'debug');
        each.info({}, 'info');
        each.warn({}, 'warn');
        each.error({}, 'error');
      }
      return lines.map((line) => JSON.parse(line).msg);
    };
    expect(writeAll()).toHaveLength(12);
    log.setLevel('error');
    expect(writeAll()).toEqual(['error', 'error', 'error']);
    log.setLevel('silent');
    expect(writeAll()).toEqual([]);
    grandchild.setLevel('warn');
    expect(new Set(writeAll())).toEqual(new Set(['warn', 'error']));
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ camera: 'Lobby', profile: 'main' });
  });

  it('shows each line that it writes to another reader, redacted', () => {
    const kept: string[] = [];
    const { destination, lines } = {
      destination: { write: (line: string) => void lines.push(line) },
      lines: [] as string[],
    };
    const log = createLog({
      level: 'info',
      format: 'json',
      destination,
      onLine: (line) => void kept.push(line),
    });
    log.debug({}, 'not written');
    log.info({ url: new CredentialUrl('rtsp://admin:hunter2@camera.local/') }, 'opened');
    expect(kept).toEqual(lines);
    expect(kept).toHaveLength(1);
    expect(kept[0]).not.toContain('hunter2');
  });

  it('cuts off an endless chain of causes', () => {
    const { log, lines } = capture();
    const loop = new Error('loop');
    loop.cause = loop;
    log.error({ err: loop }, 'looped');
    expect(lines[0]!.length).toBeLessThan(20_000);
  });
});
