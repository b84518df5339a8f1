/** Child module: a gateway with password-protected shares, behind a proxy that says who is asking. */

import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseConfig } from '../../../src/app/config/load-config.ts';
import { type Gateway, startGateway } from '../../../src/app/stages/gateway.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { silentLog } from '../../../src/core/log.ts';
import { responseParent } from '../../support/child-module.ts';

export interface PasswordGatewaySetup {
  readonly folder: string;
  readonly apiPort: number;
  readonly mediaPort: number;
  readonly password: string;
  /** Shares in addition to the attacked one. */
  readonly others: number;
}

export interface PasswordGatewayCalls {
  /** Links of shares with the same password, each a page's URL. */
  start(setup: PasswordGatewaySetup): Promise<{ guessed: string; others: string[] }>;
  close(nothing: null): Promise<void>;
}

const BUSY_PAUSE_MS = 200;
const API_KEY = 'bench-key-0123456789abcdefghijklmnopqrstuvwx';

let gateway: Gateway | null = null;

async function start({ folder, apiPort, mediaPort, password, others }: PasswordGatewaySetup) {
  const config = parseConfig(
    JSON.stringify({
      listen: { api: `127.0.0.1:${apiPort}`, media: `127.0.0.1:${mediaPort}` },
      data: folder,
      bootstrap: { apiKey: API_KEY },
      // Callers say where they are: the guesses come from many addresses.
      trustProxy: ['127.0.0.1'],
      demo: false,
      log: { level: 'silent' },
      cameras: [{ name: 'Lobby', rtsp: 'rtsp://192.0.2.1/main' }],
    }),
    'bench',
    {},
  );
  mkdirSync(folder, { recursive: true });
  gateway = await startGateway({ config, env: {}, clock: systemClock, log: silentLog });
  const { cameraStates } = await call(apiPort, 'getMinimalCameraStateList', {});
  const cameraUuid = (cameraStates as { uuid: string }[])[0]!.uuid;
  const share = async (): Promise<string> => {
    const fields = { cameraUuid, streamType: 'USER', vodEnabled: false, password };
    const made = await call(apiPort, 'createSharedLiveVideoStream', fields);
    return String(made.sharedLiveVideoStreamUrl);
  };
  const urls: string[] = [];
  while (urls.length < others) urls.push(await share());
  return { guessed: await share(), others: urls };
}

async function call(apiPort: number, name: string, body: object): Promise<Record<string, unknown>> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${apiPort}/api/camera/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth-apikey': API_KEY },
      body: JSON.stringify(body),
    });
    const result = (await response.json()) as Record<string, unknown>;
    if (response.status === 200) return result;
    // An API that has just started on a busy machine asks callers to wait.
    if (response.status !== 503) throw new Error(`${name}: ${response.status} ${result.errorMsg}`);
    await delay(BUSY_PAUSE_MS);
  }
}

const calls: PasswordGatewayCalls = {
  start,
  close: async () => gateway?.close(),
};

responseParent(calls);
