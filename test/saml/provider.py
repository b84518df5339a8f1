"""A SAML provider for tests: pysaml2 on loopback. It signs in whom the last POST to /control named, and asks no one.

Arguments: port, folder for keys. /control takes JSON: metadata (a list of service providers' metadata), user, attributes, encrypt, renew.
"""

import base64
import html
import json
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT, sigver
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NAMEID_FORMAT_EMAILADDRESS, NameID
from saml2.server import Server

PORT = int(sys.argv[1])
FOLDER = sys.argv[2]
BASE = f"http://127.0.0.1:{PORT}"
AES256_GCM = "http://www.w3.org/2009/xmlenc11#aes256-gcm"
RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256"

# Its own default is triple DES.
sigver.pre_encryption_part.__kwdefaults__["msg_enc"] = AES256_GCM
for owner in (sigver.CryptoBackendXmlSec1, sigver.SecurityContext):
    defaults = owner.encrypt_assertion.__defaults__
    owner.encrypt_assertion.__defaults__ = ("aes-256",) + defaults[1:]

state = {"metadata": [], "user": "ada@example.com", "attributes": {}, "encrypt": False, "key": 0}


def key_files():
    key, cert = f"{FOLDER}/key{state['key']}.pem", f"{FOLDER}/cert{state['key']}.pem"
    return key, cert


def new_key():
    state["key"] += 1
    key, cert = key_files()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=login.example"]
        + ["-keyout", key, "-out", cert],
        check=True,
        capture_output=True,
    )


def open_server():
    key, cert = key_files()
    return Server(
        config=IdPConfig().load(
            {
                "entityid": f"{BASE}/metadata",
                "key_file": key,
                "cert_file": cert,
                "allow_unknown_attributes": True,
                "metadata": {"inline": state["metadata"]} if state["metadata"] else {},
                "service": {
                    "idp": {
                        "endpoints": {
                            "single_sign_on_service": [(f"{BASE}/sso", BINDING_HTTP_REDIRECT)],
                            "single_logout_service": [(f"{BASE}/slo", BINDING_HTTP_REDIRECT)],
                        },
                        "want_authn_requests_signed": True,
                        "sign_response": False,
                        "sign_assertion": True,
                        "signing_algorithm": RSA_SHA256,
                        "digest_algorithm": SHA256,
                        "policy": {"default": {"lifetime": {"minutes": 5}, "attribute_restrictions": None}},
                    }
                },
            }
        )
    )


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def send(self, status, body, kind="text/html", **headers):
        data = body.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if body.pop("renew", False):
            new_key()
        state.update(body)
        self.send(200, "{}", "application/json")

    def do_GET(self):
        url = urlparse(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        try:
            if url.path == "/metadata":
                config = open_server().config
                self.send(200, str(entity_descriptor(config)), "application/samlmetadata+xml")
            elif url.path == "/sso":
                self.sign_in(query)
            elif url.path == "/slo":
                self.sign_out(query)
            else:
                self.send(200, json.dumps({"logouts": state.get("logouts", 0)}), "application/json")
        except Exception as error:  # The test reads what went wrong.
            self.send(500, html.escape(repr(error)))
            raise

    def sign_in(self, query):
        idp = open_server()
        request = idp.parse_authn_request(
            query["SAMLRequest"],
            BINDING_HTTP_REDIRECT,
            relay_state=query.get("RelayState"),
            sigalg=query.get("SigAlg"),
            signature=query.get("Signature"),
        )
        args = idp.response_args(request.message)
        name = NameID(format=NAMEID_FORMAT_EMAILADDRESS, text=state["user"])
        response = idp.create_authn_response(
            state["attributes"],
            name_id=name,
            userid=state["user"],
            authn={"class_ref": "urn:oasis:names:tc:SAML:2.0:ac:classes:Password", "authn_auth": BASE},
            encrypt_assertion=state["encrypt"],
            sign_assertion=True,
            sign_response=False,
            **{key: args[key] for key in ("in_response_to", "destination", "sp_entity_id")},
        )
        text = base64.b64encode(str(response).encode()).decode()
        action = html.escape(args["destination"])
        self.send(
            200,
            f'<form method="post" action="{action}"><input type="hidden" name="SAMLResponse" value="{text}"></form>'
            "<script>document.forms[0].submit()</script>",
        )

    def sign_out(self, query):
        idp = open_server()
        if "SAMLResponse" in query:
            self.send(200, "<h1>Signed out there</h1>")
            return
        request = idp.parse_logout_request(
            query["SAMLRequest"],
            BINDING_HTTP_REDIRECT,
            relay_state=query.get("RelayState"),
            sigalg=query.get("SigAlg"),
            signature=query.get("Signature"),
        )
        state["logouts"] = state.get("logouts", 0) + 1
        response = idp.create_logout_response(request.message, [BINDING_HTTP_REDIRECT])
        args = idp.response_args(request.message, [BINDING_HTTP_REDIRECT])
        sent = idp.apply_binding(
            BINDING_HTTP_REDIRECT, str(response), args["destination"], query.get("RelayState", ""), response=True, sign=True
        )
        self.send(303, "", **{"location": dict(sent["headers"])["Location"]})


new_key()
server = ThreadingHTTPServer(("127.0.0.1", PORT), Handler)
print("listening", flush=True)
server.serve_forever()
