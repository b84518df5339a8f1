/**
 * Mails alerts to alarm centers: one mail for an alert, immediately. Further alerts of the same camera within half a minute are one more
 * mail, at its end, with their count: operators get no hundred alarms of one tree.
 */

import type { Clock } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { isPassing } from '../events/event-effects.ts';
import type { PolicyAlertBody } from '../events/policy-alerts.ts';
import { alarmMail } from '../mail/alarm-formats.ts';
import { type AlarmReceiver, type AlarmReceivers, alarmTarget } from '../mail/alarm-receivers.ts';
import type { MailRequest, WrittenMail } from '../mail/mail.ts';
import type { MailLinks } from '../mail/mail-links.ts';
import type { MailOutbox } from '../mail/mail-outbox.ts';
import type { StoredEvent } from '../store/event.ts';
import type { Store } from '../store/store.ts';
import { alertDevice } from './alert-facts.ts';
import { type DigestWriterOptions, pictureFor, wordsOf } from './digest-writer.ts';

interface AlarmRequest extends MailRequest {
  readonly writer: 'alarm';
  readonly receiverUuid: Ruuid;
  readonly deviceUuid: Ruuid;
  /** The first alert of the slot. */
  readonly alertId: string;
  readonly slotStartMs: number;
  /** The mail is about the others of the slot. */
  readonly isRest: boolean;
}

const SLOT_MS = 30_000;
/** Someone who reports the past, such as after an outage, alarms no one. */
const MAX_AGE_MS = 60 * 60_000;

export interface AlarmMailsOptions {
  readonly store: Pick<Store, 'events' | 'cameras' | 'nvrs' | 'locations'>;
  readonly receivers: Pick<AlarmReceivers, 'list' | 'find'>;
  readonly outbox: MailOutbox;
  readonly isSetUp: () => boolean;
  readonly links: MailLinks;
  readonly takePicture: DigestWriterOptions['takePicture'];
  readonly clock: Clock;
  readonly log: Log;
}

export class AlarmMails {
  readonly #options: AlarmMailsOptions;

  constructor(options: AlarmMailsOptions) {
    this.#options = options;
    options.outbox.writeWith<AlarmRequest>('alarm', ({ orgUuid }, request) => this.#write(orgUuid, request));
  }

  /** An effect of reported events. Everything is in the store when it resolves. */
  async onEvents(events: readonly StoredEvent[]): Promise<void> {
    const { clock, isSetUp, log } = this.#options;
    if (!isSetUp()) return;
    const oldestMs = clock.epochMs() - MAX_AGE_MS;
    const alerts = events.filter(({ kind, atMs }) => kind === 'policyAlert' && atMs >= oldestMs);
    for (const [orgUuid, ofOrg] of Map.groupBy(alerts, (alert) => alert.orgUuid)) {
      try {
        await this.#queue(orgUuid, ofOrg);
      } catch (thrown) {
        if (isPassing(thrown)) throw thrown;
        log.error({ err: toGatewayError(thrown), orgUuid }, 'alarm center not notified');
      }
    }
  }

  async #queue(orgUuid: Ruuid, alerts: readonly StoredEvent[]): Promise<void> {
    const receivers = (await this.#options.receivers.list(orgUuid)).filter(({ body }) => !body.disabled);
    for (const receiver of receivers) {
      for (const alert of alerts) if (isFor(receiver, alert)) await this.#add(orgUuid, receiver, alert);
    }
  }

  async #add(orgUuid: Ruuid, receiver: AlarmReceiver, { deviceUuid, id, atMs }: StoredEvent): Promise<void> {
    const { outbox } = this.#options;
    const target = alarmTarget(receiver, deviceUuid);
    if (target === null) return;
    const slotStartMs = Math.floor(atMs / SLOT_MS) * SLOT_MS;
    const slot = `${receiver.uuid}\0${deviceUuid}\0${slotStartMs}`;
    const first = deriveRuuid('alarm mail', slot);
    const known = await outbox.find(orgUuid, first);
    // A report that takes effect twice is the first one again, or is counted with the rest, which counts what is stored.
    const isRest = known !== null;
    await outbox.add<AlarmRequest>({
      uuid: isRest ? deriveRuuid('rest of alarm mail', slot) : first,
      orgUuid,
      topic: 'ALARM',
      forUuid: receiver.uuid,
      to: target.address,
      request: { writer: 'alarm', receiverUuid: receiver.uuid, deviceUuid, alertId: id, slotStartMs, isRest },
      ...(isRest ? { atMs: slotStartMs + SLOT_MS } : {}),
    });
  }

  async #write(
    orgUuid: Ruuid,
    { receiverUuid, deviceUuid, alertId, slotStartMs, isRest }: AlarmRequest,
  ): Promise<WrittenMail | null> {
    const { store, receivers, links, takePicture } = this.#options;
    const receiver = await receivers.find(orgUuid, receiverUuid);
    const target = receiver === null ? null : alarmTarget(receiver, deviceUuid);
    const alert = await store.events.find(orgUuid, 'policyAlert', alertId);
    if (receiver === null || target === null || receiver.body.disabled || alert === null) return null;
    const slot = {
      kind: 'policyAlert',
      deviceUuid,
      fromMs: slotStartMs,
      toMs: slotStartMs + SLOT_MS,
    } as const;
    const count = isRest ? (await store.events.count(orgUuid, slot)) - 1 : 1;
    if (count < 1) return null;
    const { locationUuid, atMs, body } = alert;
    const place = locationUuid === undefined ? null : await store.locations.find(orgUuid, locationUuid);
    const device = await alertDevice(store, alert);
    const {
      textDescription = '',
      policyAlertTriggers = [],
      alarmValidationLevel = null,
    } = body as PolicyAlertBody;
    const camera = device?.name ?? 'Camera';
    const taking = () => takePicture(orgUuid, deviceUuid, atMs);
    const content = alarmMail(receiver.body.format, {
      what: textDescription || policyAlertTriggers.map(wordsOf).join(', ') || 'Alarm',
      kinds: policyAlertTriggers,
      atMs,
      count,
      camera,
      site: place?.name ?? null,
      latitude: place?.latitude ?? null,
      longitude: place?.longitude ?? null,
      validation: alarmValidationLevel,
      input: target.input,
      url: links.alertUrl(alertId),
      picture: device?.isCamera === true ? await pictureFor(alertId, camera, taking) : null,
    });
    const extra = alarmValidationLevel === null ? {} : { 'X-AVS-01-Level': String(alarmValidationLevel) };
    return { to: { name: '', address: target.address }, content, extra };
  }
}

function isFor({ body }: AlarmReceiver, { locationUuid, body: alert }: StoredEvent): boolean {
  const { locationUuids, minValidation } = body;
  const { alarmValidationLevel } = alert as PolicyAlertBody;
  const isHere =
    locationUuids.length === 0 || (locationUuid !== undefined && locationUuids.includes(locationUuid));
  return isHere && (minValidation === null || (alarmValidationLevel ?? -1) >= minValidation);
}
