/** A whole gateway opens cameras by the networks that their organization states, with and without camera threads. */

import { expect, it } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { fetchPlaylist } from '../support/hls.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

it.each([0, 1])(
  'a camera outside goes offline with the reason, and returns when it is inside (%i camera threads)',
  async (cameras) => {
    const camera = await startCamera(0);
    const gateway = await TestGateway.start({
      sources: { allowLocal: true },
      threads: { cameras },
      cameras: [],
    });
    try {
      const mainUrl = camera.url;
      const { cameraUuid } = await gateway.call('camera/createCamera', { mainUrl, name: 'Yard' });
      const preview = await gateway.call('camera/createPreviewGrant', { cameraUuid });
      const play = () => fetchPlaylist(preview.playlistUrl);
      expect((await play()).text).toContain('#EXTM3U');
      const stateOf = async () =>
        (await gateway.call('camera/getCameraStreamStates', { cameraUuids: [cameraUuid] })).cameras[0].main;
      await until('the camera to be live', async () => (await stateOf()).state === 'live');

      const networks = ['10.0.0.0/8'];
      const updated = await gateway.call('org/updateCameraNetworks', { networks });
      expect(updated.warningMsg).toContain('Yard (127.0.0.1)');
      const probed = await gateway.call('camera/probeCamera', { mainUrl });
      expect(probed.main).toMatchObject({ works: false, errorCode: 'DIRECT_OUTSIDE_ORGANIZATION_NETWORKS' });
      await until('the camera to say why it is offline', async () => {
        void fetch(preview.playlistUrl).then(
          (response) => response.arrayBuffer(),
          () => undefined,
        );
        const state = await stateOf();
        return state.errorCode === 'DIRECT_OUTSIDE_ORGANIZATION_NETWORKS' && state;
      });
      expect(await gateway.call('org/getCameraNetworks')).toMatchObject({
        networks,
        camerasOutside: [{ cameraUuid, host: '127.0.0.1', rule: 'ORGANIZATION' }],
      });

      await gateway.call('org/updateCameraNetworks', { networks: ['127.0.0.0/8'] });
      await until('the camera to play again', async () => (await play().catch(() => null)) !== null);
      expect((await gateway.call('org/getCameraNetworks')).camerasOutside).toEqual([]);
    } finally {
      await gateway.dispose();
      await camera.close();
    }
  },
);
