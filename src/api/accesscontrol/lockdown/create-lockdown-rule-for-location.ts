/** POST /api/accesscontrol/lockdownPlan/createLockdownRuleForLocation: creates or replaces a rule. */

import { Type } from 'typebox';
import { actionsLeftToClients } from '../../../access-control/lockdown/lockdown-rule.ts';
import { defineEndpoint } from '../../../http/endpoint.ts';
import { ruuid } from '../../../http/fields/field-types.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_SCHEDULE_UUID } from '../../types/examples.ts';
import { EXAMPLE_RULE_UUID, LOCKDOWN_RULE_INPUT } from './lockdown-rule-type.ts';

export const createLockdownRuleForLocation = defineEndpoint({
  path: '/api/accesscontrol/lockdownPlan/createLockdownRuleForLocation',
  summary: 'Creates a lockdown rule for a location.',
  description:
    'The rule runs when its trigger activity is reported at the location: a trigger of a policy alert, or the type ' +
    'of a component event. Sluice then sets the states of doors and elevator landings, raises an alert and calls ' +
    'webhooks. Other actions are stored but not carried out, and `warningMsg` names them. Calls are POST requests ' +
    'with a JSON body, signed in `x-sluice-signature: t=<epoch seconds>,v1=<hex>` with HMAC-SHA256 over `<epoch ' +
    'seconds>.<body>`; `/api/integrations/webhooks/getWebhookIntegration` returns the secret of each address. ' +
    'Redirects are not followed, and hosts in private networks are called only if the configuration allows it.',
  repetition: 'once',
  request: Type.Object({ rule: LOCKDOWN_RULE_INPUT }),
  response: { ruleUuid: ruuid('The rule.') },
  example: {
    request: {
      rule: {
        locationUuid: EXAMPLE_LOCATION_UUID,
        ruleName: 'Panic button',
        triggerActivity: 'PanicButtonEvent',
        ruleFilters: { scheduleUuids: [EXAMPLE_SCHEDULE_UUID], triggerBackoffSecs: 60 },
        action: {
          alertAction: true,
          webhookActions: [
            { webhookUrl: 'https://dispatch.example.com/lockdown', headers: { 'x-site': 'Headquarters' } },
          ],
        },
      },
    },
    response: { ruleUuid: EXAMPLE_RULE_UUID },
  },
  async handler(context, { rule }) {
    const { orgUuid, services } = context;
    const ruleUuid = await services.accessControl.lockdownRules.create(orgUuid, rule);
    const kept = actionsLeftToClients(rule.action);
    if (kept.length > 0) {
      context.warn(`The gateway stores these actions but does not carry them out: ${kept.join(', ')}.`);
    }
    return { ruleUuid };
  },
});
