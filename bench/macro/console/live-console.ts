/** A whole gateway with as many live cameras as a wall has tiles, and someone who looks at its console. */

import { join } from 'node:path';
import { TestGateway } from '../../../test/support/gateway.ts';
import { ChildModule } from '../../support/child-module.ts';
import { BenchBrowser } from './bench-browser.ts';

export const TILES = 16;
/** A typical substream. */
const PICTURE = { widthPx: 640, heightPx: 360, bitrateBitsPerSec: 400_000 };
const SHARES = 20;

/** The calls of camera-fleet.ts that this file uses; its other types are not those of browsers. */
interface CameraFleetCalls {
  start(options: {
    readonly cameras: number;
    readonly widthPx: number;
    readonly heightPx: number;
    readonly bitrateBitsPerSec: number;
  }): Promise<string[]>;
}

let invitations = 0;

export class LiveConsole {
  readonly browser: BenchBrowser;
  readonly apiUrl: string;
  /** The page of a shared wall with all cameras. */
  readonly wallUrl: string;
  readonly cameraUuid: string;
  readonly #gateway: TestGateway;
  readonly #fleet: ChildModule<CameraFleetCalls>;

  private constructor(
    gateway: TestGateway,
    fleet: ChildModule<CameraFleetCalls>,
    browser: BenchBrowser,
    made: { readonly wallUrl: string; readonly cameraUuid: string },
  ) {
    this.#gateway = gateway;
    this.#fleet = fleet;
    this.browser = browser;
    this.apiUrl = gateway.apiUrl;
    this.wallUrl = made.wallUrl;
    this.cameraUuid = made.cameraUuid;
  }

  static async open(): Promise<LiveConsole> {
    const fleet = new ChildModule<CameraFleetCalls>(
      join(import.meta.dirname, '../../support/camera-fleet.ts'),
    );
    let gateway: TestGateway | null = null;
    try {
      const urls = await fleet.call('start', { cameras: TILES, ...PICTURE });
      gateway = await TestGateway.start({
        demo: false,
        locations: [{ name: 'Harbor', tz: 'Europe/Berlin' }],
        cameras: urls.map((rtsp, index) => ({ name: `Camera ${index + 1}`, location: 'Harbor', rtsp })),
      });
      return new LiveConsole(gateway, fleet, await BenchBrowser.open(), await share(gateway));
    } catch (error) {
      await gateway?.dispose();
      await fleet.end();
      throw error;
    }
  }

  async signIn(): Promise<void> {
    const email = `bench-${++invitations}@example.com`;
    const invited = { name: 'Ada Lovelace', email, role: 'admin' };
    const { inviteUrl } = await this.#gateway.call('console/invitePerson', invited);
    await this.browser.signIn(this.apiUrl, inviteUrl as string);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.#gateway.dispose();
    await this.#fleet.end();
  }
}

async function share(gateway: TestGateway): Promise<{ wallUrl: string; cameraUuid: string }> {
  const { cameraStates } = await gateway.call('camera/getMinimalCameraStateList');
  const uuids = cameraStates.map(({ uuid }: { uuid: string }) => uuid) as string[];
  const cameraUuid = uuids[0]!;
  for (let i = 0; i < SHARES; i++) {
    const terms = { streamType: 'USER', vodEnabled: false, name: `Share ${i}` };
    await gateway.call('camera/createSharedLiveVideoStream', { cameraUuid: uuids[i % TILES], ...terms });
  }
  const videoWall = { displayName: 'Control room', deviceList: uuids };
  const { uuid: videoWallUuid } = await gateway.call('camera/createVideoWall', { videoWall });
  const shared = await gateway.call('camera/createSharedVideoWall', { videoWallUuid });
  return { wallUrl: shared.sharedLiveVideoStreamUrl, cameraUuid };
}
