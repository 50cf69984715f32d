"""Defines indexes and fields with Google's client of Firestore's administration, over gRPC or REST.

TENON_SERVER names the server.
"""

import os

import grpc
import requests
from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import firestore_admin_v1
from google.cloud.firestore_admin_v1.services.firestore_admin import transports
from google.longrunning import operations_pb2, operations_pb2_grpc

import peer

ADDRESS = os.environ["TENON_SERVER"]
PROJECT = f"projects/{os.environ['GOOGLE_CLOUD_PROJECT']}"
DATABASE = f"{PROJECT}/databases/(default)"
GROUP = f"{DATABASE}/collectionGroups/cities"
Index = firestore_admin_v1.Index


def client(transport):
    if transport == "rest":
        chosen = transports.FirestoreAdminRestTransport(
            host=ADDRESS, credentials=AnonymousCredentials(), url_scheme="http"
        )
    else:
        chosen = transports.FirestoreAdminGrpcTransport(channel=grpc.insecure_channel(ADDRESS))
    return firestore_admin_v1.FirestoreAdminClient(transport=chosen)


def composite(first, second="population"):
    return Index(
        query_scope=Index.QueryScope.COLLECTION,
        fields=[
            Index.IndexField(field_path=first, order=Index.IndexField.Order.ASCENDING),
            Index.IndexField(field_path=second, order=Index.IndexField.Order.DESCENDING),
        ],
    )


def described(index):
    return [
        index.query_scope.name,
        index.state.name,
        [[field.field_path, field.order.name] for field in index.fields],
    ]


def status(call):
    try:
        call()
        return "OK"
    except exceptions.GoogleAPICallError as error:
        return [type(error).__name__, error.message]


def indexes(transport):
    admin = client(transport)
    operation = admin.create_index(parent=GROUP, index=composite("state"))
    created = operation.result(timeout=20)
    admin.create_index(parent=GROUP, index=composite("name")).result(timeout=20)
    other = f"{DATABASE}/collectionGroups/towns"
    admin.create_index(parent=other, index=composite("state")).result(timeout=20)
    found = {
        "created": described(created),
        "metadata": operation.metadata.index == created.name and operation.metadata.state.name,
        "again": status(lambda: admin.create_index(parent=GROUP, index=composite("state"))),
        "got": described(admin.get_index(name=created.name)),
        "listed": len(list(admin.list_indexes(parent=GROUP))),
        "pages": len(list(admin.list_indexes(request={"parent": GROUP, "page_size": 1}))),
        "all": len(list(admin.list_indexes(parent=f"{DATABASE}/collectionGroups/-"))),
    }
    admin.delete_index(name=created.name)
    found["deleted"] = status(lambda: admin.get_index(name=created.name))
    found["left"] = len(list(admin.list_indexes(parent=GROUP)))
    return found


def fields(transport):
    admin = client(transport)
    name = f"{GROUP}/fields/bio"
    before = admin.get_field(name=name)
    mask = {"paths": ["index_config"]}
    field = firestore_admin_v1.Field(name=name, index_config=firestore_admin_v1.Field.IndexConfig())
    changed = admin.update_field(request={"field": field, "update_mask": mask}).result(timeout=20)
    overridden = "indexConfig.usesAncestorConfig:false"
    listing = {"parent": f"{DATABASE}/collectionGroups/-", "filter": overridden}
    found = {
        "inherits": before.index_config.uses_ancestor_config,
        "modes": len(before.index_config.indexes),
        "changed": [changed.index_config.uses_ancestor_config, len(changed.index_config.indexes)],
        "listed": [item.name == name for item in admin.list_fields(request=listing)],
    }
    admin.update_field(request={"field": {"name": name}, "update_mask": mask}).result(timeout=20)
    found["reverted"] = admin.get_field(name=name).index_config.uses_ancestor_config
    found["left"] = len(list(admin.list_fields(request=listing)))
    expiring = {"field": {"name": name, "ttl_config": {}}, "update_mask": {"paths": ["ttl_config"]}}
    found["expiry"] = status(lambda: admin.update_field(request=expiring))
    return found


def databases(transport):
    admin = client(transport)
    listed = admin.list_databases(parent=PROJECT).databases
    return {
        "listed": [item.name for item in listed],
        "type": admin.get_database(name=DATABASE).type_.name,
        "missing": status(lambda: admin.get_database(name=f"{PROJECT}/databases/none")),
        "export": status(lambda: admin.export_documents(request={"name": DATABASE})),
        "create": status(
            lambda: admin.create_database(parent=PROJECT, database={}, database_id="other")
        ),
    }


def operations():
    """Operations by the service of operations itself, and by REST."""
    admin = client("grpc")
    name = admin.create_index(parent=GROUP, index=composite("area")).operation.name
    service = operations_pb2_grpc.OperationsStub(grpc.insecure_channel(ADDRESS))
    waited = service.WaitOperation(operations_pb2.WaitOperationRequest(name=name))
    listed = service.ListOperations(operations_pb2.ListOperationsRequest(name=DATABASE))
    service.CancelOperation(operations_pb2.CancelOperationRequest(name=name))
    rest = requests.get(f"http://{ADDRESS}/v1/{name}", timeout=20).json()
    service.DeleteOperation(operations_pb2.DeleteOperationRequest(name=name))
    try:
        service.GetOperation(operations_pb2.GetOperationRequest(name=name))
        gone = "OK"
    except grpc.RpcError as error:
        gone = error.code().name
    return {
        "waited": waited.done and waited.response.type_url,
        "listed": [operation.name == name for operation in listed.operations],
        "rest": [rest["done"], rest["response"]["fields"][0]["fieldPath"]],
        "deleted": gone,
    }


peer.serve({call.__name__: call for call in (indexes, fields, databases, operations)})
