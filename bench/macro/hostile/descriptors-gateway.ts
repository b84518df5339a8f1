/** Child module: the whole gateway as it normally runs, in a process that can have few descriptors. */

import { parseConfig } from '../../../src/app/config/load-config.ts';
import { loadSecrets } from '../../../src/app/config/secrets.ts';
import { type Gateway, startGateway } from '../../../src/app/stages/gateway.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { silentLog } from '../../../src/core/log.ts';
import { keepNewSpaceSmall } from '../../../src/core/new-space.ts';
import type { Ruuid } from '../../../src/core/ruuid.ts';
import { Grants } from '../../../src/sharing/grant.ts';
import { FIRST_ACCESS_EPOCH } from '../../../src/sharing/share-service.ts';
import { responseParent } from '../../support/child-module.ts';

export interface DescriptorsSetup {
  readonly folder: string;
  readonly apiPort: number;
  readonly mediaPort: number;
  readonly apiKey: string;
  readonly cameras: readonly { readonly name: string; readonly rtsp: string; readonly engine: string }[];
}

export interface DescriptorsGatewayCalls {
  start(setup: DescriptorsSetup): Promise<void>;
  /** The same as opening an unchanged share gives out; openings themselves are limited. */
  grants(options: { readonly shareUuid: string; readonly count: number }): string[];
  close(nothing: null): Promise<void>;
}

const GRANT_LIFETIME_SEC = 3_600;

let gateway: Gateway | null = null;
let grantSigner: Grants | null = null;

async function start({ folder, apiPort, mediaPort, apiKey, cameras }: DescriptorsSetup): Promise<void> {
  keepNewSpaceSmall();
  const content = {
    listen: { api: `127.0.0.1:${apiPort}`, media: `127.0.0.1:${mediaPort}` },
    data: folder,
    bootstrap: { apiKey },
    cameras,
    log: { level: 'silent' },
  };
  const config = parseConfig(JSON.stringify(content), 'bench', {});
  gateway = await startGateway({ config, env: {}, clock: systemClock, log: silentLog });
  grantSigner = new Grants(loadSecrets(config.data, {}).grantSigningKey);
}

function grants({ shareUuid, count }: { shareUuid: string; count: number }): string[] {
  const expiresAtSec = Math.ceil(systemClock.epochMs() / 1_000) + GRANT_LIFETIME_SEC;
  return Array.from({ length: count }, () =>
    grantSigner!.issue(shareUuid as Ruuid, FIRST_ACCESS_EPOCH, expiresAtSec),
  );
}

const calls: DescriptorsGatewayCalls = { start, grants, close: async () => gateway?.close() };

responseParent(calls);
