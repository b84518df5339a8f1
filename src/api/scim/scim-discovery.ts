/** What a directory reads to learn what the gateway can do (RFC 7644 §4). The same for every organization. */

import { MAX_BULK_OPERATIONS } from '../../scim/scim-bulk.ts';
import { LIST_SCHEMA, MAX_RESULTS } from '../../scim/scim-query.ts';
import { RESOURCE_TYPES, SCHEMAS, type ScimResourceType, type ScimSchema } from '../../scim/scim-schema.ts';

const CONFIG_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';
const TYPE_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
const SCHEMA_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema';

/** `maxPayloadSize`: of any request, in bytes. */
export function serviceProviderConfig(baseUrl: string, maxPayloadSize: number): object {
  return {
    schemas: [CONFIG_SCHEMA],
    patch: { supported: true },
    bulk: { supported: true, maxOperations: MAX_BULK_OPERATIONS, maxPayloadSize },
    filter: { supported: true, maxResults: MAX_RESULTS },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Provisioning token',
        description: 'A token that an administrator creates in the console, as Authorization: Bearer.',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${baseUrl}/ServiceProviderConfig` },
  };
}

export function resourceTypes(baseUrl: string): readonly (object & { readonly id: string })[] {
  return RESOURCE_TYPES.map((type) => resourceType(type, baseUrl));
}

function resourceType({ name, endpoint, schema, extensions }: ScimResourceType, baseUrl: string) {
  return {
    schemas: [TYPE_SCHEMA],
    id: name,
    name,
    endpoint,
    description: schema.description,
    schema: schema.id,
    ...(extensions.length === 0
      ? {}
      : { schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })) }),
    meta: { resourceType: 'ResourceType', location: `${baseUrl}/ResourceTypes/${name}` },
  };
}

export function schemas(baseUrl: string): readonly (object & { readonly id: string })[] {
  return SCHEMAS.map((schema: ScimSchema) => ({
    schemas: [SCHEMA_SCHEMA],
    ...schema,
    meta: { resourceType: 'Schema', location: `${baseUrl}/Schemas/${schema.id}` },
  }));
}

/** All of a short list. */
export function wholeList(resources: readonly object[]): object {
  return {
    schemas: [LIST_SCHEMA],
    totalResults: resources.length,
    startIndex: 1,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}
