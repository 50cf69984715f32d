"""Controls Google's firebase-admin, which finds the server through FIREBASE_AUTH_EMULATOR_HOST."""

import base64
import hashlib
import hmac
import json
import os

import firebase_admin
import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from firebase_admin import _auth_client, _utils, app_check, auth, credentials
from google.oauth2 import service_account

import peer

firebase_admin.initialize_app(options={"projectId": os.environ["GOOGLE_CLOUD_PROJECT"]})


def user(record):
    return {
        "uid": record.uid,
        "email": record.email,
        "emailVerified": record.email_verified,
        "displayName": record.display_name,
        "photoURL": record.photo_url,
        "disabled": record.disabled,
        "claims": record.custom_claims,
        "providers": [provider.provider_id for provider in record.provider_data],
        "created": record.user_metadata.creation_timestamp,
        "lastSignIn": record.user_metadata.last_sign_in_timestamp,
        "lastRefresh": record.user_metadata.last_refresh_timestamp,
    }


def update_user(uid, delete=(), **changes):
    for name in delete:
        changes[name] = auth.DELETE_ATTRIBUTE
    return user(auth.update_user(uid, **changes))


def get_users(uids=(), emails=(), providers=()):
    identifiers = [auth.UidIdentifier(uid) for uid in uids] + [auth.EmailIdentifier(email) for email in emails]
    identifiers += [auth.ProviderIdentifier(name, uid) for name, uid in providers]
    found = auth.get_users(identifiers)
    return {"users": [user(record) for record in found.users], "missing": len(found.not_found)}


def list_users(page_size):
    """Returns each page as a list of IDs, following the tokens for the next page."""
    pages = []
    page = auth.list_users(max_results=page_size)
    while page:
        pages.append([record.uid for record in page.users])
        page = page.get_next_page()
    return pages


def delete_users(uids):
    outcome = auth.delete_users(uids)
    return {"deleted": outcome.success_count, "failed": outcome.failure_count}


def import_users(users):
    records = [
        auth.ImportUserRecord(
            uid=entry["uid"],
            email=entry.get("email"),
            email_verified=entry.get("email_verified"),
            display_name=entry.get("display_name"),
            custom_claims=entry.get("custom_claims"),
            provider_data=[auth.UserProvider(**provider) for provider in entry.get("providers", [])],
        )
        for entry in users
    ]
    outcome = auth.import_users(records)
    return {"imported": outcome.success_count, "errors": [[error.index, error.reason] for error in outcome.errors]}


SECRET, SALT = b"secret", b"NaCl"
FIREBASE_KEY = base64.b64decode("jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==")


def keyed(digest):
    return lambda password: hmac.new(SECRET, password + SALT, digest).digest()


def hashed(digest, rounds):
    def compute(password):
        result = hashlib.new(digest, SALT + password).digest()
        for _ in range(1, rounds):
            result = hashlib.new(digest, result).digest()
        return result

    return compute


def firebase_scrypt(password):
    """https://github.com/firebase/scrypt"""
    key = hashlib.scrypt(password, salt=SALT + b"\x07", n=2**14, r=8, p=1, dklen=32)
    encryptor = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
    return encryptor.update(FIREBASE_KEY) + encryptor.finalize()


# The functions of other systems, as Google's kit describes them, and as Python computes them.
FUNCTIONS = {
    "SCRYPT": (
        auth.UserImportHash.scrypt(key=FIREBASE_KEY, rounds=8, memory_cost=14, salt_separator=b"\x07"),
        firebase_scrypt,
    ),
    "STANDARD_SCRYPT": (
        auth.UserImportHash.standard_scrypt(
            memory_cost=1024, parallelization=16, block_size=8, derived_key_length=64
        ),
        lambda password: hashlib.scrypt(password, salt=SALT, n=1024, r=8, p=16, dklen=64),
    ),
    "PBKDF_SHA1": (
        auth.UserImportHash.pbkdf_sha1(1000),
        lambda password: hashlib.pbkdf2_hmac("sha1", password, SALT, 1000),
    ),
    "PBKDF2_SHA256": (
        auth.UserImportHash.pbkdf2_sha256(100000),
        lambda password: hashlib.pbkdf2_hmac("sha256", password, SALT, 100000, 64),
    ),
    "HMAC_MD5": (auth.UserImportHash.hmac_md5(SECRET), keyed("md5")),
    "HMAC_SHA1": (auth.UserImportHash.hmac_sha1(SECRET), keyed("sha1")),
    "HMAC_SHA256": (auth.UserImportHash.hmac_sha256(SECRET), keyed("sha256")),
    "HMAC_SHA512": (auth.UserImportHash.hmac_sha512(SECRET), keyed("sha512")),
    "MD5": (auth.UserImportHash.md5(0), lambda password: hashed("md5", 0)(password).hex().encode()),
    "SHA1": (auth.UserImportHash.sha1(1), hashed("sha1", 1)),
    "SHA256": (auth.UserImportHash.sha256(3), hashed("sha256", 3)),
    "SHA512": (auth.UserImportHash.sha512(8192), hashed("sha512", 8192)),
}


def import_hashes(password):
    """Imports a user for each function, and returns their addresses."""
    emails = []
    for number, (hash_alg, compute) in enumerate(FUNCTIONS.values()):
        email = f"user{number}@example.com"
        record = auth.ImportUserRecord(
            uid=f"user{number}", email=email, password_hash=compute(password.encode()), password_salt=SALT
        )
        outcome = auth.import_users([record], hash_alg=hash_alg)
        emails.append(email if outcome.success_count == 1 else outcome.errors[0].reason)
    return emails


def link(kind, email, url=None):
    settings = auth.ActionCodeSettings(url=url, handle_code_in_app=True) if url else None
    make = {
        "reset": auth.generate_password_reset_link,
        "verify": auth.generate_email_verification_link,
        "sign-in": auth.generate_sign_in_with_email_link,
    }[kind]
    return make(email, settings)


def oidc(config):
    return {
        "id": config.provider_id,
        "name": config.display_name,
        "enabled": config.enabled,
        "client": config.client_id,
        "issuer": config.issuer,
        "secret": config.client_secret,
        "idToken": config.id_token_response_type,
        "code": config.code_response_type,
    }


def saml(config):
    return {
        "id": config.provider_id,
        "name": config.display_name,
        "enabled": config.enabled,
        "idp": config.idp_entity_id,
        "sso": config.sso_url,
        "certificates": config.x509_certificates,
        "rp": config.rp_entity_id,
        "callback": config.callback_url,
    }


def outcome(call):
    try:
        call()
        return "OK"
    except Exception as error:
        return type(error).__name__


def providers(certificate, tenant=None):
    """Creates, reads, changes, lists and deletes configurations of OpenID Connect and SAML."""
    client = auth_for_tenant(tenant) if tenant else auth
    created = client.create_oidc_provider_config("oidc.acme", "client", "https://acme.example.com", display_name="Acme")
    changed = client.update_oidc_provider_config(
        "oidc.acme",
        display_name=auth.DELETE_ATTRIBUTE,
        enabled=True,
        client_secret="secret",
        code_response_type=True,
        id_token_response_type=False,
    )
    entity = client.create_saml_provider_config(
        "saml.acme", "idp", "https://acme.example.com/sso", [certificate], "rp", "https://app.example.com/callback"
    )
    moved = client.update_saml_provider_config(
        "saml.acme", sso_url="https://acme.example.com/other", x509_certificates=[certificate, certificate], enabled=True
    )
    for number in range(3):
        client.create_oidc_provider_config(f"oidc.other{number}", "client", "https://example.com")
    pages = []
    page = client.list_oidc_provider_configs(max_results=2)
    while page:
        pages.append([config.provider_id for config in page.provider_configs])
        page = page.get_next_page()
    found = {
        "created": oidc(created),
        "changed": oidc(changed),
        "got": oidc(client.get_oidc_provider_config("oidc.acme")),
        "entity": saml(entity),
        "moved": saml(moved),
        "gotEntity": saml(client.get_saml_provider_config("saml.acme")),
        "pages": pages,
        "saml": [config.provider_id for config in client.list_saml_provider_configs().iterate_all()],
        "again": outcome(lambda: client.create_oidc_provider_config("oidc.acme", "client", "https://example.com")),
        "issuer": outcome(lambda: client.create_oidc_provider_config("oidc.bad", "client", "http://example.com")),
    }
    client.delete_oidc_provider_config("oidc.acme")
    client.delete_saml_provider_config("saml.acme")
    found["deleted"] = [
        outcome(lambda: client.get_oidc_provider_config("oidc.acme")),
        outcome(lambda: client.delete_saml_provider_config("saml.acme")),
    ]
    return found


def auth_for_tenant(tenant):
    """As tenant_mgt.auth_for_tenant, which needs a credential also for emulators."""
    return _auth_client.Client(firebase_admin.get_app(), tenant_id=tenant)


def tenant_users(tenant):
    return [[record.uid, record.tenant_id] for record in auth_for_tenant(tenant).list_users().iterate_all()]


def tenant_custom_token(tenant, uid):
    return auth_for_tenant(tenant).create_custom_token(uid).decode()


account_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def service_account_file():
    """Returns the file of a new service account as text."""
    key = account_key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    account = {
        "type": "service_account",
        "project_id": os.environ["GOOGLE_CLOUD_PROJECT"],
        "private_key_id": "key-1",
        "private_key": key.decode(),
        "client_email": "admin@demo.iam.gserviceaccount.com",
        "token_uri": "https://oauth2.googleapis.com/token",
    }
    # Google's own library accepts it, too.
    service_account.Credentials.from_service_account_info(account)
    return json.dumps(account)


def signed_claims(token, audience):
    """Returns the claims of a token that the service account has signed, and the header."""
    claims = jwt.decode(token, account_key.public_key(), algorithms=["RS256"], audience=audience)
    return {"claims": claims, "header": jwt.get_unverified_header(token)}


class Administrator(credentials.Base):
    """The credential of an emulator's administrator, because App Check has no emulator."""

    def get_credential(self):
        return _utils.EmulatorAdminCredentials()


# The addresses of App Check are constants of the library. Everything else is what it does in production.
for constant in ["_JWKS_URL", "_VERIFY_URL_FORMAT"]:
    url = getattr(app_check._AppCheckService, constant)
    setattr(
        app_check._AppCheckService,
        constant,
        url.replace("https://", "http://" + os.environ["FIREBASE_AUTH_EMULATOR_HOST"] + "/"),
    )
app_check_app = firebase_admin.initialize_app(
    Administrator(), {"projectId": os.environ["GOOGLE_CLOUD_PROJECT"]}, "app-check"
)


peer.serve(
    {
        "create_user": lambda **fields: user(auth.create_user(**fields)),
        "get_user": lambda uid: user(auth.get_user(uid)),
        "get_user_by_email": lambda email: user(auth.get_user_by_email(email)),
        "get_users": get_users,
        "list_users": list_users,
        "all_users": lambda: [record.uid for record in auth.list_users().iterate_all()],
        "update_user": update_user,
        "set_claims": lambda uid, claims: auth.set_custom_user_claims(uid, claims),
        "delete_user": lambda uid: auth.delete_user(uid),
        "delete_users": delete_users,
        "import_users": import_users,
        "import_hashes": import_hashes,
        "custom_token": lambda uid, claims=None: auth.create_custom_token(uid, claims).decode(),
        "verify": lambda token, check_revoked=False: auth.verify_id_token(token, check_revoked=check_revoked),
        "revoke": lambda uid: auth.revoke_refresh_tokens(uid),
        "session_cookie": lambda token, seconds: auth.create_session_cookie(token, seconds),
        "verify_cookie": lambda cookie: auth.verify_session_cookie(cookie, check_revoked=True),
        "link": link,
        "providers": providers,
        "create_oidc": lambda id, issuer: oidc(auth.create_oidc_provider_config(id, "client", issuer)),
        "get_saml": lambda id: saml(auth.get_saml_provider_config(id)),
        "tenant_create_user": lambda tenant, **fields: user(auth_for_tenant(tenant).create_user(**fields)),
        "tenant_verify": lambda tenant, token: auth_for_tenant(tenant).verify_id_token(token),
        "tenant_users": tenant_users,
        "tenant_custom_token": tenant_custom_token,
        "service_account": service_account_file,
        "signed_claims": signed_claims,
        "verify_app_check": lambda token, consume=False: app_check.verify_token(token, app_check_app, consume),
    }
)
