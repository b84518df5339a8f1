/** Child module: a hub with a camera that viewers watch and one that floods, behind the front door. */

import { systemClock } from '../../../src/core/clock.ts';
import type { GatewayError } from '../../../src/core/errors.ts';
import { silentLog } from '../../../src/core/log.ts';
import { newRuuid } from '../../../src/core/ruuid.ts';
import { CredentialUrl } from '../../../src/core/secret.ts';
import { DirectRtspSource } from '../../../src/sources/direct/direct-rtsp-source.ts';
import type { SourceSink } from '../../../src/stream/source/source-sink.ts';
import { startBenchFrontDoor } from '../../support/bench-front-door.ts';
import { createBenchHub } from '../../support/bench-hub.ts';
import { responseParent } from '../../support/child-module.ts';
import { LoopDelayMeter } from '../../support/loop-delay-meter.ts';

export interface FloodGatewayCalls {
  /** Opens the watched camera. Returns where its viewer's playlist and media are, with a slash at the end. */
  start(rtsp: string): Promise<string>;
  /** Opens a flooding camera, in addition to the others. */
  openFlood(options: { readonly rtsp: string; readonly transport: 'tcp' | 'udp' }): void;
  closeFlood(nothing: null): FloodOutcome;
}

export interface FloodOutcome {
  /** How often it was connected. */
  readonly opened: number;
  /** Error code of its latest end, or `none`. */
  readonly code: string;
  /** The longest that the gateway's own work blocked its event loop, and its 99.9th percentile. */
  readonly heldMaxMs: number;
  readonly heldP999Ms: number;
}

const hub = createBenchHub({});
let flood = newRuuid();
const meter = new LoopDelayMeter();
let opened = 0;
let code = 'none';

function source(rtsp: string, transport: 'tcp' | 'udp'): DirectRtspSource {
  return new DirectRtspSource({
    url: new CredentialUrl(rtsp),
    transport,
    clock: systemClock,
    log: silentLog,
  });
}

async function start(rtsp: string): Promise<string> {
  const uuid = newRuuid();
  hub.put({ uuid, fingerprint: rtsp, main: source(rtsp, 'tcp'), sub: null });
  hub.get(uuid)!.touch('sound');
  meter.start();
  const door = await startBenchFrontDoor(hub, uuid);
  return `http://127.0.0.1:${door.port}${await door.openShare()}`;
}

function openFlood({ rtsp, transport }: { rtsp: string; transport: 'tcp' | 'udp' }): void {
  flood = newRuuid();
  opened = 0;
  code = 'none';
  const real = source(rtsp, transport);
  const main = {
    engine: real.engine,
    open: (sink: SourceSink) => {
      opened += 1;
      const onEnded = (error: GatewayError) => {
        code = error.code;
        return error;
      };
      return real.open(sink.branch({ onEnded }));
    },
  };
  meter.read();
  hub.put({ uuid: flood, fingerprint: rtsp, main, sub: null });
  hub.get(flood)!.touch('sound');
}

function closeFlood(): FloodOutcome {
  hub.remove(flood);
  const { ownMaxMs, ownP999Ms } = meter.read();
  return { opened, code, heldMaxMs: ownMaxMs, heldP999Ms: ownP999Ms };
}

const calls: FloodGatewayCalls = { start, openFlood, closeFlood };

responseParent(calls);
