/** Multicast on the loopback interface, between a scripted camera and the engine. */

import dgram from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { parseTransports } from '../../rtsp/transport.ts';
import { closeAll, eventually, except, listen, noSocketLeft, open } from './direct-fixture.ts';
import { type CameraScript, decentScript, FAKE_CAMERA_SDP, fakeKeyFrame } from './fake-camera.ts';

const GROUP = '239.255.77.1';

const senders: dgram.Socket[] = [];
afterEach(async () => {
  await closeAll();
  for (const sender of senders.splice(0)) sender.close();
});

/** A socket that sends to groups of the loopback interface, from `address`. */
async function senderAt(address: string): Promise<dgram.Socket> {
  const socket = dgram.createSocket('udp4');
  socket.bind(0, address);
  await once(socket, 'listening');
  socket.setMulticastInterface('127.0.0.1');
  senders.push(socket);
  return socket;
}

/** An even port that was free a moment ago, and so was the one after it. */
async function freePort(): Promise<number> {
  const socket = dgram.createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return port & ~1;
}

const sdpOf = (lines: readonly string[]): string =>
  FAKE_CAMERA_SDP.replace('a=control', `${lines.join('\r\n')}\r\na=control`);

/** Answers a SETUP for multicast with `transport`, and refuses every other. */
function setup(transport: string): CameraScript {
  return (request, connection) => {
    const [wanted] = parseTransports(request.headers.get('Transport') ?? '');
    if (wanted?.isMulticast !== true) connection.reply(request, 461);
    else {
      connection.reply(request, 200, [
        ['Session', '1'],
        ['Transport', transport],
      ]);
    }
  };
}

function camera(transport: string, sdp = FAKE_CAMERA_SDP): CameraScript {
  return except('SETUP', setup(transport), decentScript(0, sdp));
}

/** Sends key frames to the group until `isDone`; which of them arrive depends on when the group is joined. */
async function sendUntil(
  sender: dgram.Socket,
  port: number,
  isDone: () => boolean,
  group = GROUP,
): Promise<void> {
  let index = 0;
  await eventually(() => {
    sender.send(fakeKeyFrame(index++), port, group);
    expect(isDone()).toBe(true);
  });
}

/** Groups that this machine has joined, as the kernel lists them: hexadecimal, in the machine's own byte order. */
function joinedGroups(): string {
  return readFileSync('/proc/net/igmp', 'latin1');
}
const LISTED = Buffer.from(GROUP.split('.').map(Number)).reverse().toString('hex').toUpperCase();

describe('multicast', () => {
  it('joins the group that SETUP names, and leaves it', async () => {
    await noSocketLeft();
    const [port, sender] = [await freePort(), await senderAt('127.0.0.1')];
    const peer = await listen(
      camera(`RTP/AVP;multicast;destination=${GROUP};port=${port}-${port + 1};ttl=4`),
    );
    const { recorder, instance } = open(peer.url(), { transport: 'multicast' });
    await sendUntil(sender, port, () => recorder.unitCount >= 3);
    expect(peer.requests.find(({ method }) => method === 'SETUP')!.headers.get('Transport')).toBe(
      'RTP/AVP;multicast',
    );
    expect(joinedGroups()).toContain(LISTED);
    await instance.close();
    expect(joinedGroups()).not.toContain(LISTED);
    expect(peer.methods.at(-1)).toBe('TEARDOWN');
    expect(recorder.errors).toEqual([]);
  });

  it('takes from the description what SETUP leaves out', async () => {
    const [port, sender] = [await freePort(), await senderAt('127.0.0.1')];
    const sdp = sdpOf([`c=IN IP4 ${GROUP}/16`]).replace('video 0', `video ${port}`);
    const peer = await listen(camera('RTP/AVP;multicast', sdp));
    const { recorder } = open(peer.url(), { transport: 'multicast' });
    await sendUntil(sender, port, () => recorder.unitCount >= 3);
  });

  it('is what auto falls back to, if the camera refuses unicast and describes a group', async () => {
    const [port, sender] = [await freePort(), await senderAt('127.0.0.1')];
    const transport = `RTP/AVP;multicast;destination=${GROUP};port=${port}-${port + 1}`;
    const peer = await listen(camera(transport, sdpOf([`c=IN IP4 ${GROUP}/16`])));
    const { recorder } = open(peer.url());
    await sendUntil(sender, port, () => recorder.unitCount >= 3);
    const wanted = peer.requests.filter(({ method }) => method === 'SETUP');
    expect(wanted.map(({ headers }) => headers.get('Transport')!.split(';').slice(0, 2).join(';'))).toEqual([
      'RTP/AVP/TCP;unicast',
      'RTP/AVP;unicast',
      'RTP/AVP;multicast',
    ]);
  });

  it('is not tried by auto if the camera describes no group', async () => {
    const peer = await listen(camera(`RTP/AVP;multicast;destination=${GROUP};port=5000-5001`));
    const { recorder } = open(peer.url());
    expect((await recorder.ended).code).toBe('RTSP_TRANSPORT_REFUSED');
    expect(peer.connections).toHaveLength(2);
  });

  it.each([
    ['no destination', 'RTP/AVP;multicast;port=5000-5001'],
    ['a destination that is no group', 'RTP/AVP;multicast;destination=192.0.2.1;port=5000-5001'],
    ['the broadcast address', 'RTP/AVP;multicast;destination=255.255.255.255;port=5000-5001'],
    ['a name', 'RTP/AVP;multicast;destination=group.example;port=5000-5001'],
    ['no ports', `RTP/AVP;multicast;destination=${GROUP}`],
    ['the port of a service', `RTP/AVP;multicast;destination=${GROUP};port=53-54`],
    ['unicast', 'RTP/AVP;unicast;client_port=5000-5001'],
  ])('ends with an answer that has %s', async (_, transport) => {
    const peer = await listen(camera(transport));
    const { recorder } = open(peer.url(), { transport: 'multicast' });
    expect((await recorder.ended).code).toBe('RTSP_TRANSPORT_REFUSED');
  });

  it('ends if the group cannot be joined', async () => {
    const peer = await listen(camera('RTP/AVP;multicast;destination=ff15::77;port=5000-5001'));
    const { recorder } = open(peer.url(), { transport: 'multicast' });
    expect(await recorder.ended).toMatchObject({
      code: 'DIRECT_MULTICAST_FAILED',
      context: { group: 'ff15::77', rtpPort: 5_000 },
    });
  });

  it('hears no one but the camera, on ports that several cameras share', async () => {
    const port = await freePort();
    const [first, second] = [await senderAt('127.0.0.1'), await senderAt('127.0.0.2')];
    const transport = `RTP/AVP;multicast;destination=${GROUP};port=${port}-${port + 1}`;
    // The second one sends from another address than the one that answers RTSP, and says so.
    const peers = [await listen(camera(transport)), await listen(camera(`${transport};source=127.0.0.2`))];
    const recorders = peers.map((peer) => open(peer.url(), { transport: 'multicast' }).recorder);
    await sendUntil(first, port, () => recorders[0]!.unitCount >= 3);
    expect(recorders[1]!.unitCount).toBe(0);
    const heard = recorders[0]!.unitCount;
    await sendUntil(second, port, () => recorders[1]!.unitCount >= 3);
    expect(recorders[0]!.unitCount).toBeLessThanOrEqual(heard + 1);
  });

  it('asks the network for the source that the description names (RFC 4570)', async () => {
    const [port, sender] = [await freePort(), await senderAt('127.0.0.2')];
    const sdp = sdpOf([`c=IN IP4 ${GROUP}/16`, `a=source-filter: incl IN IP4 ${GROUP} 127.0.0.2`]);
    const peer = await listen(camera(`RTP/AVP;multicast;port=${port}-${port + 1}`, sdp));
    const { recorder } = open(peer.url(), { transport: 'multicast' });
    await sendUntil(sender, port, () => recorder.unitCount >= 3);
    expect(readFileSync('/proc/net/mcfilter', 'latin1')).toMatch(/0xefff4d01 0x7f000002/i);
  });

  it('reports to the group', async () => {
    const [port, sender] = [await freePort(), await senderAt('127.0.0.1')];
    const reports = dgram.createSocket({ type: 'udp4', reuseAddr: true }).bind(port + 1, GROUP);
    await once(reports, 'listening');
    reports.addMembership(GROUP, '127.0.0.1');
    senders.push(reports);
    const clock = new FakeClock();
    const peer = await listen(camera(`RTP/AVP;multicast;destination=${GROUP};port=${port}-${port + 1}`));
    const { recorder } = open(peer.url(), { transport: 'multicast', clock });
    await sendUntil(sender, port, () => recorder.unitCount >= 1);
    const reported = once(reports, 'message');
    clock.advance(5_000);
    const [report] = (await reported) as [Buffer];
    expect(report[1]).toBe(201);
  });
});
