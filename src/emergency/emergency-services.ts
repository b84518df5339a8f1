/** The services of emergencies, wired. */

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { MailOutbox } from '../mail/mail-outbox.ts';
import type { AccessRules } from '../sharing/access-rules.ts';
import { ShareTokens } from '../sharing/share-token.ts';
import type { Store } from '../store/store.ts';
import type { WebhookDeliveries } from '../webhooks/webhook-deliveries.ts';
import { Emergencies } from './emergencies.ts';
import { EmergencyEnds } from './emergency-ends.ts';
import { EmergencyPartners } from './emergency-partners.ts';
import { EmergencyReports } from './emergency-report.ts';
import { EmergencyRules } from './emergency-rules.ts';
import { EmergencySender } from './emergency-sender.ts';
import { RuleOpenings } from './rule-openings.ts';

export interface EmergencyServices {
  readonly emergencies: Emergencies;
  readonly partners: EmergencyPartners;
  readonly rules: EmergencyRules;
  readonly reports: EmergencyReports;
  readonly sender: EmergencySender;
  /** An effect of reported events. */
  readonly openings: RuleOpenings;
  readonly ends: EmergencyEnds;
}

export interface EmergencyServicesOptions {
  readonly store: Store;
  readonly accessRules: AccessRules;
  readonly outbox: MailOutbox;
  readonly deliveries: WebhookDeliveries;
  readonly shareTokenKey: Buffer;
  readonly publicMediaUrl: string;
  readonly clock: Clock;
  readonly log: Log;
}

export function createEmergencyServices(options: EmergencyServicesOptions): EmergencyServices {
  const { store, clock, log, accessRules, shareTokenKey } = options;
  const sender = new EmergencySender({
    ...options,
    wallTokens: ShareTokens.forWalls(shareTokenKey),
    cameraTokens: new ShareTokens(shareTokenKey),
  });
  const emergencies = new Emergencies({ store, clock, sender, rules: accessRules });
  const partners = new EmergencyPartners(store, clock);
  const rules = new EmergencyRules(store, clock);
  return {
    emergencies,
    partners,
    rules,
    sender,
    reports: new EmergencyReports({ store, emergencies, sender }),
    openings: new RuleOpenings({ store, emergencies, partners, rules, clock, log }),
    ends: new EmergencyEnds({ store, emergencies, sender, clock, log }),
  };
}
