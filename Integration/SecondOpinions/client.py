"""Controls firebase-client-sdk, an independent client, which uses the server through its emulator setting."""

import os

from firebase_client import initialize_app
from firebase_client.auth.user import EmailAuthProvider, OAuthProvider

import peer

host, port = os.environ["TENON_SERVER"].rsplit(":", 1)
project = os.environ["GOOGLE_CLOUD_PROJECT"]
app = initialize_app(
    {"apiKey": "any", "projectId": project, "storageBucket": f"{project}.appspot.com"}, retries=0, timeout=120
)
for service in (app.auth, app.functions, app.storage):
    service.connect_emulator(host, int(port))
auth = app.auth


def user():
    """Returns the user who is signed in, as the library reports it after querying the server."""
    record = auth.reload_current_user()
    return {
        "uid": record.uid,
        "email": record.email,
        "emailVerified": record.email_verified,
        "displayName": record.display_name,
        "photoURL": record.photo_url,
        "providers": [provider.provider_id for provider in record.provider_data],
    }


def after(action):
    """Returns a call that reports the user who is signed in afterwards."""

    def call(**arguments):
        action(**arguments)
        return user()

    return call


def claims(force_refresh=False):
    return auth.current_user.get_id_token_result(force_refresh=force_refresh).claims


def google(token):
    return OAuthProvider("google.com").credential(id_token=token)


def check_code(code):
    info = auth.check_action_code(code)
    return {"operation": info.operation, "email": info.email}


peer.serve(
    {
        "sign_up": after(auth.create_user_with_email_and_password),
        "sign_in": after(auth.sign_in_with_email_and_password),
        "sign_in_anonymously": after(auth.sign_in_anonymously),
        "sign_in_with_token": after(lambda token: auth.sign_in_with_custom_token(token)),
        "sign_in_with_link": after(lambda email, link: auth.sign_in_with_email_link(email, link)),
        "sign_in_with_google": after(lambda token: auth.sign_in_with_credential(google(token))),
        "link_password": after(
            lambda email, password: auth.link_with_credential(EmailAuthProvider.credential(email, password))
        ),
        "link_google": after(lambda token: auth.link_with_credential(google(token))),
        "unlink": after(lambda provider: auth.unlink_provider(provider)),
        "reauthenticate": after(
            lambda email, password: auth.reauthenticate_with_credential(
                EmailAuthProvider.credential(email, password)
            )
        ),
        "update_profile": after(auth.update_profile),
        "update_password": after(lambda password: auth.update_password(password)),
        "update_email": after(lambda email: auth.update_email(email)),
        "user": user,
        "refresh": after(auth.refresh_token),
        "claims": claims,
        "id_token": lambda: auth.current_user.get_id_token(),
        "sign_in_methods": auth.fetch_sign_in_methods_for_email,
        "send_reset": auth.send_password_reset_email,
        "send_verification": auth.send_email_verification,
        "send_link": lambda email, url: auth.send_sign_in_link_to_email(
            email, {"url": url, "handleCodeInApp": True}
        ),
        "check_code": check_code,
        "apply_code": auth.apply_action_code,
        "reset_password": auth.confirm_password_reset,
        "delete": auth.delete_user,
        "sign_out": auth.sign_out,
        "call_function": lambda name, data: app.functions.call(name, data).data,
        "put": lambda path, text: app.storage.upload_text(path, text) and None,
        "get": app.storage.download_text,
        "list": lambda path: sorted(item.full_path for item in app.storage.list_all(path).items),
        "remove": app.storage.delete_object,
    }
)
