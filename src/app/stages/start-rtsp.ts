/** Where programs read live video by RTSP, if the configuration has an address for it. */

import type { CertificateWatch } from '../../connections/certificate-watch.ts';
import { GatewayError } from '../../core/errors.ts';
import type { HostPort } from '../../core/host-port.ts';
import { DatagramPorts } from '../../front-door/rtsp/datagram-ports.ts';
import { RtspDesk, type RtspDeskOptions } from '../../front-door/rtsp/rtsp-desk.ts';
import { RtspListener } from '../../front-door/rtsp/rtsp-listener.ts';
import { OpeningLog } from '../../front-door/session/opening-log.ts';
import type { Cleanup } from '../process/cleanup.ts';
import { APP_ERRORS } from '../process/errors.ts';
import type { GatewayOptions } from './gateway-options.ts';

/** What it shares with the listener for HTTP. */
type DoorParts = Omit<RtspDeskOptions, 'openingLog' | 'clock'>;

/** null: RTSP is off. Resolves when clients can connect. Fails with CLI_LISTEN_FAILED. */
export async function startRtsp(
  { config, clock, log }: GatewayOptions,
  parts: DoorParts,
  certificate: CertificateWatch | null,
  cleanup: Cleanup,
): Promise<RtspDesk | null> {
  const { listen, udpPort, secureListen } = config.rtsp;
  if (listen === null && secureListen === null) return null;
  const desk = new RtspDesk({ ...parts, clock, openingLog: new OpeningLog(clock, log) });
  const datagrams = listen === null || udpPort === null ? null : await bindUdp({ ...listen, port: udpPort });
  if (datagrams !== null) cleanup.add('UDP ports of RTSP', () => datagrams.close());
  const listener = new RtspListener({ desk, clock, datagrams });
  cleanup.add('RTSP listener', () => listener.close());
  const open = async (at: HostPort, how: Promise<number>, isTls: boolean): Promise<void> => {
    try {
      const port = await how;
      log.info({ host: at.host, port, isTls }, 'listening for RTSP');
    } catch (cause) {
      throw new GatewayError(APP_ERRORS.CLI_LISTEN_FAILED, { host: at.host, port: at.port }, cause);
    }
  };
  if (listen !== null) await open(listen, listener.listen(listen), false);
  if (secureListen !== null && certificate !== null) {
    await open(secureListen, listener.listenSecurely(secureListen, certificate.current), true);
    certificate.onChange((changed) => listener.setCertificate(changed));
  }
  return desk;
}

async function bindUdp(at: HostPort): Promise<DatagramPorts> {
  try {
    return await DatagramPorts.bind(at);
  } catch (cause) {
    throw new GatewayError(APP_ERRORS.CLI_LISTEN_FAILED, { host: at.host, port: at.port }, cause);
  }
}
