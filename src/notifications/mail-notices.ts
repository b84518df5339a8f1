/** Wires up mails about alerts and devices. */

import { NotificationSettingsService } from '../accounts/notification-settings.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { toldEvents } from '../events/camera-pauses.ts';
import type { EventEffect } from '../events/event-effects.ts';
import type { MailServices } from '../mail/mail-services.ts';
import type { ScopeViews } from '../store/scope-views.ts';
import type { Store } from '../store/store.ts';
import { AlarmMails } from './alarm-mails.ts';
import { DigestWriter, type DigestWriterOptions } from './digest-writer.ts';
import { MailDigests } from './mail-digests.ts';

export interface MailNoticesOptions {
  readonly store: Store;
  readonly views: Pick<ScopeViews, 'viewOf'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly mail: Pick<MailServices, 'outbox' | 'sender' | 'links' | 'alarmReceivers'>;
  readonly takePicture: DigestWriterOptions['takePicture'];
}

export function createMailNotices(options: MailNoticesOptions): EventEffect {
  const { store, clock, log, mail } = options;
  const writer = new DigestWriter({ ...options, links: mail.links });
  const digests = new MailDigests({
    store,
    outbox: mail.outbox,
    isSetUp: () => mail.sender.isSetUp,
    settings: new NotificationSettingsService({ store, clock }),
    write: (...given) => writer.write(...given),
    clock,
    log,
  });
  const alarms = new AlarmMails({
    ...options,
    receivers: mail.alarmReceivers,
    outbox: mail.outbox,
    isSetUp: () => mail.sender.isSetUp,
    links: mail.links,
  });
  return async (events) => {
    await alarms.onEvents(events);
    await digests.onEvents(await toldEvents(store, events));
  };
}
