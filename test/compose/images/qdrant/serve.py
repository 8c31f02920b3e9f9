"""Stands in for the server of Qdrant where its image cannot be pulled: Qdrant's own engine, from PyPI, behind the requests
of `adapters/vector-index/qdrant-index.ts`. Every other request answers 404."""

import json
import os
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from uuid import UUID

from qdrant_edge import (
    CountRequest,
    Distance,
    EdgeConfig,
    EdgeShard,
    EdgeVectorParams,
    FieldCondition,
    Filter,
    HasIdCondition,
    MatchAny,
    MatchValue,
    Point,
    Query,
    QueryRequest,
    SearchParams,
    UpdateOperation,
)

STORAGE = Path("/qdrant/storage")
KEY = os.environ.get("QDRANT__SERVICE__API_KEY")
PUBLIC = ("/", "/healthz", "/livez", "/readyz")

shards: dict[str, EdgeShard] = {}
# The engine is not written for several writers.
lock = threading.Lock()


class Refused(Exception):
    def __init__(self, status: int):
        self.status = status


def folder_of(name: str) -> Path:
    if not name.replace("-", "").replace("_", "").isalnum():
        raise Refused(404)
    return STORAGE / name


def settings_of(name: str) -> dict:
    return json.loads((folder_of(name) / "settings.json").read_text())


def shard_of(name: str) -> EdgeShard:
    if name not in shards:
        if not (folder_of(name) / "settings.json").exists():
            raise Refused(404)
        shards[name] = EdgeShard.load(str(folder_of(name) / "shard"))
    return shards[name]


def condition(given: dict):
    if "has_id" in given:
        return HasIdCondition({UUID(id) for id in given["has_id"]})
    match = given["match"]
    return FieldCondition(
        given["key"], match=MatchAny(match["any"]) if "any" in match else MatchValue(match["value"])
    )


def filter_of(given: dict | None) -> Filter:
    given = given or {}
    parts = {name: [condition(each) for each in given[name]] for name in ("must", "must_not") if given.get(name)}
    return Filter(**parts)


def create(name: str, body: dict):
    if (folder_of(name) / "settings.json").exists():
        raise Refused(409)
    folder = folder_of(name)
    # Left by a creation that did not end.
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    params = EdgeVectorParams(size=body["vectors"]["size"], distance=Distance.Cosine)
    shards[name] = EdgeShard.create(str(folder / "shard"), EdgeConfig(vectors=params))
    (folder / "settings.json").write_text(json.dumps(body))
    return True


def describe(name: str, _body):
    shard_of(name)
    settings = settings_of(name)
    return {
        "status": "green",
        "config": {
            "params": {"vectors": settings["vectors"]},
            "hnsw_config": settings.get("hnsw_config"),
            "quantization_config": settings.get("quantization_config"),
        },
    }


def configure(name: str, body: dict):
    shard_of(name)
    (folder_of(name) / "settings.json").write_text(json.dumps({**settings_of(name), **body}))
    return True


def delete(name: str, _body):
    shard_of(name).close()
    del shards[name]
    shutil.rmtree(folder_of(name))
    return True


def upsert(name: str, body: dict):
    points = [Point(UUID(each["id"]), each["vector"], each.get("payload")) for each in body["points"]]
    shard = shard_of(name)
    shard.update(UpdateOperation.upsert_points(points))
    shard.flush()
    return {"status": "completed"}


def remove(name: str, body: dict):
    shard = shard_of(name)
    shard.update(UpdateOperation.delete_points_by_filter(filter_of(body["filter"])))
    shard.flush()
    return {"status": "completed"}


def as_json(point, *, score: bool):
    known = {"id": str(point.id), "payload": point.payload, "vector": point.vector}
    return {**known, "score": point.score} if score else known


def retrieve(name: str, body: dict):
    found = shard_of(name).retrieve([UUID(id) for id in body["ids"]], with_payload=True, with_vector=True)
    return [as_json(point, score=False) for point in found]


def query(name: str, body: dict):
    request = QueryRequest(
        limit=body["limit"],
        query=Query.Nearest(body["query"]),
        filter=filter_of(body.get("filter")),
        with_payload=True,
        params=SearchParams(exact=True),
    )
    return {"points": [as_json(point, score=True) for point in shard_of(name).query(request)]}


def count(name: str, body: dict):
    return {"count": shard_of(name).count(CountRequest(exact=True, filter=filter_of(body.get("filter"))))}


ROUTES = {
    ("GET", ""): describe,
    ("PUT", ""): create,
    ("PATCH", ""): configure,
    ("DELETE", ""): delete,
    ("GET", "exists"): lambda name, _body: {"exists": (folder_of(name) / "settings.json").exists()},
    # Filters work without an index.
    ("PUT", "index"): lambda name, _body: bool(shard_of(name)),
    ("PUT", "points"): upsert,
    ("POST", "points"): retrieve,
    ("POST", "points/query"): query,
    ("POST", "points/count"): count,
    ("POST", "points/delete"): remove,
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.split("?")[0]
        if path in PUBLIC:
            return self.answer(200, {"title": "qdrant", "version": "1.19.1"})
        if KEY and self.headers.get("api-key") != KEY:
            return self.answer(401, {"status": {"error": "Invalid API key"}})
        try:
            return self.answer(200, {"result": self.result(path, json.loads(body) if body else {})})
        except Refused as refused:
            return self.answer(refused.status, {"status": {"error": "refused"}})
        except Exception as error:
            return self.answer(500, {"status": {"error": repr(error)}})

    def result(self, path: str, body: dict):
        with lock:
            if path == "/collections":
                return {"collections": [{"name": folder.name} for folder in STORAGE.iterdir()]}
            _, collections, name, *rest = path.split("/")
            route = ROUTES.get((self.command, "/".join(rest))) if collections == "collections" else None
            if route is None:
                raise Refused(404)
            return route(name, body)

    def answer(self, status: int, value: dict):
        text = json.dumps({"status": "ok", "time": 0, **value}).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = handle_any

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    STORAGE.mkdir(parents=True, exist_ok=True)
    print("listening on 6333", flush=True)
    ThreadingHTTPServer(("0.0.0.0", 6333), Handler).serve_forever()
