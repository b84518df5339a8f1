/** Wires up mail. */

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Store } from '../store/store.ts';
import { outboundCaller, type PostOutbound } from '../webhooks/outbound-call.ts';
import { CALL_TIMEOUT_MS } from '../webhooks/webhook-deliveries.ts';
import { AlarmReceivers } from './alarm-receivers.ts';
import { AlarmTest } from './alarm-test.ts';
import { LinkMails } from './link-mails.ts';
import { MailLinks } from './mail-links.ts';
import { MailOutbox } from './mail-outbox.ts';
import { MailRefusals } from './mail-refusals.ts';
import { MailSender, type MailSenderOptions } from './mail-sender.ts';
import type { MailSettings } from './mail-settings.ts';
import { MailTest } from './mail-test.ts';
import { OrganizationMail } from './organization-mail.ts';

export interface MailServicesOptions
  extends Pick<MailSenderOptions, 'ca' | 'resolveHost' | 'timeoutMs' | 'deliver'> {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: MailSettings | null;
  /** As for webhooks: whether the server of OAuth tokens can be in a private network. */
  readonly allowPrivateNetworks: boolean;
  /** Seals the links in mails. */
  readonly linkKey: Uint8Array;
  /** Where people open the console. */
  readonly publicApiUrl: string;
  readonly post?: PostOutbound;
  readonly random?: () => number;
}

export interface MailServices {
  readonly sender: MailSender;
  readonly outbox: MailOutbox;
  readonly refusals: MailRefusals;
  readonly organizationMail: OrganizationMail;
  readonly mailTest: MailTest;
  readonly links: MailLinks;
  readonly linkMails: LinkMails;
  readonly alarmReceivers: AlarmReceivers;
  readonly alarmTest: AlarmTest;
  resume(): Promise<void>;
  close(): Promise<void>;
}

export function createMailServices(options: MailServicesOptions): MailServices {
  const { store, clock, log, allowPrivateNetworks, random } = options;
  const post = options.post ?? outboundCaller({ clock, allowPrivateNetworks, timeoutMs: CALL_TIMEOUT_MS });
  const sender = new MailSender({ ...options, post });
  const refusals = new MailRefusals(store, clock);
  const organizationMail = new OrganizationMail(store, clock);
  const outbox = new MailOutbox({
    store,
    clock,
    log,
    sender,
    refusals,
    identityOf: (orgUuid) => organizationMail.identity(orgUuid),
    random,
  });
  const links = new MailLinks({ key: options.linkKey, publicApiUrl: options.publicApiUrl, clock });
  const alarmReceivers = new AlarmReceivers(store, clock);
  return {
    sender,
    outbox,
    refusals,
    organizationMail,
    mailTest: new MailTest({ outbox, sender, store }),
    alarmReceivers,
    alarmTest: new AlarmTest({ outbox, sender, receivers: alarmReceivers, links, store, clock }),
    linkMails: new LinkMails({ outbox, sender, clock }),
    links,
    resume: () => outbox.resume(),
    close: () => outbox.close(),
  };
}
