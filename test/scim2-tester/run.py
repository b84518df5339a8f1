"""Runs scim2-tester against a gateway, as it is on PyPI. Writes its results as JSON: status, title, resource type, reason."""

import json
import sys

import httpx2
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

base_url, token = sys.argv[1:3]
http = httpx2.Client(base_url=base_url, headers={"Authorization": f"Bearer {token}"}, timeout=30)
results = check_server(SyncSCIMClient(http))
json.dump(
    [
        {"status": r.status.name, "title": r.title, "type": r.resource_type, "reason": r.reason}
        for r in results
    ],
    sys.stdout,
)
