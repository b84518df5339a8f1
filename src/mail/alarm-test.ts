/** A test of an alarm center: one alarm now, in its format, marked as a test, and the mail server's words. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Store } from '../store/store.ts';
import { alarmMail } from './alarm-formats.ts';
import { type AlarmReceiver, type AlarmReceivers, alarmTarget } from './alarm-receivers.ts';
import { MAIL_ERRORS } from './errors.ts';
import type { MailRequest } from './mail.ts';
import type { MailLinks } from './mail-links.ts';
import type { MailOutbox } from './mail-outbox.ts';
import type { MailSender } from './mail-sender.ts';
import type { MailTestResult } from './mail-test.ts';

interface AlarmTestRequest extends MailRequest {
  readonly writer: 'alarm-test';
  readonly receiverUuid: Ruuid;
  readonly cameraUuid: Ruuid;
  readonly address: string;
  readonly input: number;
  readonly atMs: number;
}

export interface AlarmTestOptions {
  readonly outbox: MailOutbox;
  readonly sender: Pick<MailSender, 'isSetUp'>;
  readonly receivers: Pick<AlarmReceivers, 'find'>;
  readonly links: MailLinks;
  readonly store: Pick<Store, 'cameras' | 'locations'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class AlarmTest {
  readonly #options: AlarmTestOptions;

  constructor(options: AlarmTestOptions) {
    this.#options = options;
    const { receivers, store, links, outbox } = options;
    outbox.writeWith<AlarmTestRequest>('alarm-test', async ({ orgUuid }, request) => {
      const { cameraUuid, address, input, atMs } = request;
      const receiver = await receivers.find(orgUuid, request.receiverUuid);
      const camera = await store.cameras.find(orgUuid, cameraUuid);
      if (receiver === null || camera === null) return null;
      const { locationUuid } = camera;
      const place = locationUuid === null ? null : await store.locations.find(orgUuid, locationUuid);
      const content = alarmMail(receiver.body.format, {
        what: 'TEST, no alarm',
        kinds: [],
        atMs,
        count: 1,
        camera: camera.name,
        site: place?.name ?? null,
        latitude: place?.latitude ?? null,
        longitude: place?.longitude ?? null,
        validation: null,
        input,
        url: links.consoleUrl,
        picture: null,
      });
      return { to: { name: '', address }, content };
    });
  }

  /**
   * `cameraUuid` null: the first camera that has an address there. Fails MAIL_NOT_SET_UP, ALARM_RECEIVER_NOT_FOUND, ALARM_INPUT_UNKNOWN,
   * ALARM_RECEIVER_UNREACHED, MAIL_QUEUE_FULL. A mail that is refused is a result.
   */
  async run(orgUuid: Ruuid, receiverUuid: Ruuid, cameraUuid: Ruuid | null): Promise<MailTestResult> {
    const { outbox, sender, receivers, store, clock } = this.#options;
    if (!sender.isSetUp) throw new GatewayError(MAIL_ERRORS.MAIL_NOT_SET_UP);
    const receiver = await receivers.find(orgUuid, receiverUuid);
    if (receiver === null) throw new GatewayError(MAIL_ERRORS.ALARM_RECEIVER_NOT_FOUND);
    if (cameraUuid !== null && (await store.cameras.find(orgUuid, cameraUuid)) === null) {
      throw new GatewayError(MAIL_ERRORS.ALARM_INPUT_UNKNOWN, { what: 'camera', uuid: cameraUuid });
    }
    const tested = cameraUuid ?? (await this.#firstCamera(orgUuid, receiver));
    const target = tested === null ? null : alarmTarget(receiver, tested);
    if (tested === null || target === null) throw new GatewayError(MAIL_ERRORS.ALARM_RECEIVER_UNREACHED);
    const request = {
      writer: 'alarm-test',
      receiverUuid,
      cameraUuid: tested,
      ...target,
      atMs: clock.epochMs(),
    } as const;
    return outbox.sendOnce({ orgUuid, topic: 'ALARM', forUuid: receiverUuid, to: target.address, request });
  }

  /** null: alarms of no camera go there. */
  async #firstCamera(orgUuid: Ruuid, receiver: AlarmReceiver): Promise<Ruuid | null> {
    const { locationUuids } = receiver.body;
    const cameras = await this.#options.store.cameras.listRecords(orgUuid);
    const reached = cameras.filter(
      ({ uuid, mummified, locationUuid }) =>
        !mummified &&
        alarmTarget(receiver, uuid) !== null &&
        (locationUuids.length === 0 || (locationUuid !== null && locationUuids.includes(locationUuid))),
    );
    return reached[0]?.uuid ?? null;
  }
}
