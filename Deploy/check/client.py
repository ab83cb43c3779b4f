"""Plays the tour of Tour.md, and what an operator does besides, with a generated client: client.py OPENAPI.json URL
SIMULATOR.

openapi-python-client has made the package fanfare_client of the document. The access token is in FANFARE_TOKEN.
"""
import hashlib, importlib, inspect, io, json, os, pkgutil, sys, time, urllib.request

import fanfare_client
from fanfare_client import models
from fanfare_client.types import File

DOCUMENT, URL, SIMULATOR = sys.argv[1:]
APP, DEVICES = "news", 2000


def expect(is_so, what, *found):
    if not is_so:
        raise SystemExit(f"{what}: {' '.join(map(str, found))}")


def is_whole():
    """Each operation has a function with typed arguments, and each schema a model."""
    with open(DOCUMENT) as file:
        document = json.load(file)
    wanted = {operation["operationId"].lower() for path in document["paths"].values() for operation in path.values()}
    modules = [module.name for module in pkgutil.walk_packages(fanfare_client.__path__, "fanfare_client.")]
    functions = {name.rsplit(".", 1)[1].replace("_", ""): importlib.import_module(name)
                 for name in modules if name.startswith("fanfare_client.api.") and name.count(".") == 3}
    expect(set(functions) == wanted, "operations without a function", wanted ^ set(functions))
    untyped = [name for name, module in functions.items() for function in (module.sync_detailed,)
               if "body: Any" in str(inspect.signature(function)).replace("'", "")]
    expect(not untyped, "bodies of any kind", untyped)
    unparsed = [name for name, module in functions.items()
                if "Response[Any]" in str(inspect.signature(module.sync_detailed))]
    expect(not unparsed, "answers of any kind", unparsed)
    missing = [name for name in document["components"]["schemas"] if not hasattr(models, name)]
    expect(not missing, "schemas without a model", missing)
    return functions


FUNCTIONS = is_whole()
CALLED = set()
SESSION = fanfare_client.AuthenticatedClient(
    base_url=URL, token=os.environ["FANFARE_TOKEN"], raise_on_unexpected_status=True)


def call(operation, *arguments, status=200, **options):
    """Calls an operation; returns its typed answer, of the status that is expected."""
    CALLED.add(operation.lower())
    answer = FUNCTIONS[operation.lower()].sync_detailed(*arguments, client=SESSION, **options)
    expect(answer.status_code == status, f"{operation} answered", int(answer.status_code), answer.content)
    expect(answer.parsed is not None, f"{operation}: no typed answer", answer.content)
    unknown = list(unnamed(answer.parsed))
    expect(not unknown, f"{operation} answers what its schema does not name", unknown)
    return answer.parsed


def unnamed(value):
    """The members of an answer that its schema does not name; one without any name has them all in words."""
    if isinstance(value, list):
        for one in value:
            yield from unnamed(one)
    elif hasattr(value, "additional_properties"):
        members = {name: getattr(value, name) for name in value.__slots__ if not name.startswith("__")} \
            if hasattr(value, "__slots__") else dict(vars(value))
        more = members.pop("additional_properties")
        if members:
            yield from (f"{type(value).__name__}.{name}" for name in more)
        for member in members.values():
            yield from unnamed(member)


def wait_for(id, state):
    over = time.monotonic() + 120
    while True:
        # 404 until a worker has judged the job.
        answer = FUNCTIONS["getcampaign"].sync_detailed(APP, id, client=SESSION)
        if answer.status_code == 200:
            campaign = call("getCampaign", APP, id)
            if campaign.state == state and (state in ("held", "scheduled") or campaign.pending == 0):
                return campaign
        expect(time.monotonic() < over, f"{id} is not {state} within two minutes", answer.content)
        time.sleep(0.2)


def job(id, audience, **delivery):
    return models.Job.from_dict({"id": id, "app": APP, "audience": audience, "delivery": {"ttl": 600} | delivery,
                                 "content": {"title": "Kick-off!", "body": "The derby has begun."}})


def refused(operation, *arguments, status, **options):
    problem = call(operation, *arguments, status=status, **options)
    expect(isinstance(problem, models.Problem), f"{operation} refused without a problem", problem)
    return problem


def tokens(count):
    return [f"{place:064x}" for place in range(1, count + 1)]


def tour():
    """Uploads devices, sends a campaign to them, follows it to its end and compares it with the simulator."""
    csv = io.BytesIO(("token,id\n" + "".join(f"{token},d{token[-4:]}\n" for token in tokens(DEVICES))).encode())
    listed = call("putList", APP, "subscribers", body=File(csv), status=201,
                  content_type=models.PutListContentType.TEXTCSV)
    expect(listed.devices == DEVICES and not listed.existing, "not every device is in the list", listed)
    lines = io.BytesIO("".join(json.dumps({"token": token}) + "\n" for token in tokens(3)).encode())
    call("putList", APP, "three", body=File(lines), status=201,
         content_type=models.PutListContentType.APPLICATIONX_NDJSON)
    refused("putList", APP, "none", body=File(io.BytesIO(b"no token\n")), status=422,
            content_type=models.PutListContentType.TEXTCSV)
    expect(len(call("listLists", APP).lists) == 2, "not both lists are listed")

    derby = job("derby-kickoff", {"list": "subscribers"}, ttl=120)
    expect(call("validateCampaign", body=derby).verdict == models.VerdictVerdict.VALID, "the job is not valid")
    forecast = call("validateCampaign", body=derby).forecast
    expect(forecast.providers[0].devices == DEVICES and forecast.expiring == 0, "another forecast", forecast)
    wrong = job("wrong", {"list": "subscribers"}, expire_at="2030-01-01T00:00:00Z")
    problem = refused("validateCampaign", body=wrong, status=422)
    expect(problem.errors[0].pointer == "/delivery/expire_at", "the wrong place", problem)
    expect(call("sendCampaign", body=derby, status=202).verdict == models.VerdictVerdict.PENDING, "no verdict")
    campaign = wait_for("derby-kickoff", "completed")
    ended = {name: getattr(campaign, name) for name in
             ("accepted", "invalid", "failed", "expired", "superseded", "cancelled", "skipped", "pending")}
    expect(sum(ended.values()) == campaign.audience == DEVICES, "not every device has an outcome", campaign)
    expect(ended["invalid"] > 0 and campaign.attempts > DEVICES, "the simulator made no trouble", campaign)
    with urllib.request.urlopen(SIMULATOR + "/stats") as answer:
        counted = json.load(answer)
    apns = counted.get("apns", counted)
    expect(apns["requests"] == campaign.attempts, "the simulator counted", counted, campaign)
    expect(call("sendCampaign", body=derby).verdict == models.VerdictVerdict.EXISTING, "it is no campaign yet")
    expect(call("findCampaign", "derby-kickoff").accepted == campaign.accepted, "two answers about one campaign")
    page = call("listCampaigns", app=APP, limit=10)
    expect([row.id for row in page.campaigns] == ["derby-kickoff"], "another list of campaigns", page)
    expect(page.campaigns[0].accepted == campaign.accepted, "another outcome in the list", page)
    expect(len(call("listCampaigns", search="KICKOFF").campaigns) == 1, "it is not found")
    expect(call("listCampaigns", search="nothing of the kind").campaigns == [], "something else is found")
    curve = call("getCampaignRate", APP, "derby-kickoff")
    expect(sum(curve.devices) == DEVICES and sum(curve.outcomes.accepted) == campaign.accepted, "another curve", curve)
    expect("campaign.completed" in {mark.type_ for mark in curve.marks}, "no mark of the end", curve.marks)
    expect(call("reportCampaign", APP, "derby-kickoff").accepted == campaign.accepted, "another report")
    events = call("streamCampaignEvents", APP, "derby-kickoff")
    expect("campaign.completed" in events or "completed" in events, "no event of the end", events)


def upload():
    """Uploads devices in two parts, one of them twice, and names the upload in a job before it is complete."""
    csv = ("token\n" + "".join(token + "\n" for token in tokens(DEVICES))).encode()
    names = (APP, "parted", "parted-1")
    begun = call("beginUpload", *names, body=models.UploadForm.from_dict({"format": "csv"}), status=201)
    expect(begun.parts == 0, "an upload begins with parts", begun)
    parts = [csv[:10_000], csv[10_000:]]
    for number, part in enumerate(parts[:1] * 2):
        taken = call("putUploadPart", *names, 0, body=File(io.BytesIO(part)), sha256=hashlib.sha256(part).hexdigest(),
                     status=200 if number else 201)
        expect(taken.existing == bool(number), "a part is there", taken)
    waiting = job("parted", {"list": "parted", "upload": "parted-1"}, ttl=120)
    expect(call("sendCampaign", body=waiting, status=202).verdict == models.VerdictVerdict.PENDING, "no verdict")
    call("putUploadPart", *names, 1, body=File(io.BytesIO(parts[1])), sha256=hashlib.sha256(parts[1]).hexdigest(),
         status=201)
    expect(call("getUpload", *names).parts == 2, "not both parts are there")
    expect(call("completeUpload", *names, status=201).devices == DEVICES, "not every device is in the list")
    call("beginUpload", APP, "parted", "parted-2", body=models.UploadForm.from_dict({"format": "csv"}),
         status=201)
    expect(call("abandonUpload", APP, "parted", "parted-2").abandoned, "it is not abandoned")
    expect(wait_for("parted", "completed").audience == DEVICES, "not every device was meant")


def orders():
    """Pauses, resumes, fires and cancels."""
    call("sendCampaign", body=job("held", {"list": "three"}, hold=True), status=202)
    wait_for("held", "held")
    paused = call("pauseCampaign", APP, "held")
    expect(len(paused.paused_by) == 1, "it is not paused", paused)
    expect(call("resumeCampaign", APP, "held").paused_by == [], "it is paused still")
    call("fireCampaign", APP, "held")
    expect(wait_for("held", "completed").accepted > 0, "nothing was sent")
    call("sendCampaign", body=job("unwanted", {"list": "three"}, hold=True), status=202)
    wait_for("unwanted", "held")
    call("cancelCampaign", APP, "unwanted")
    campaign = wait_for("unwanted", "cancelled")
    expect(campaign.cancelled + campaign.invalid == 3, "not every device ended cancelled", campaign)
    refused("cancelCampaign", APP, "nobody", status=404)


def changes():
    """Changes a campaign while it waits, pauses its app, and asks what was sent to whom."""
    call("sendCampaign", body=job("slow", {"list": "three"}, hold=True, per_second=1), status=202)
    wait_for("slow", "held")
    call("setCampaign", APP, "slow", body=models.Change(per_second=100), dry_run=True)
    call("setCampaign", APP, "slow", body=models.Change(per_second=None, urgency=models.ChangeUrgency.URGENT))
    refused("setCampaign", APP, "slow", body=models.Change(), status=400)
    scope = models.PauseScope(app=APP)
    expect(not call("pauseFleet", body=scope).existing, "it was paused before")
    expect([pause.app for pause in call("listPauses").pauses] == [APP], "another list of pauses")
    expect(len(call("resumeFleet", body=scope).ended) == 1, "it is paused still")
    call("fireCampaign", APP, "slow")
    done = wait_for("slow", "completed")
    lines = call("exportOutcomes", APP, "slow").splitlines()
    expect(sum('"outcome":"accepted"' in line for line in lines) == done.accepted, "other outcomes", lines)
    question = models.TraceQuestion(token=tokens(1)[0])
    traces = call("traceDevice", APP, body=question).traces
    expect("slow" in {trace.campaign for trace in traces}, "no trace of it", traces)
    expect(call("listWebhooks").webhooks == [], "there is a webhook")
    refused("resumeWebhook", 1, status=404)


def looks_ahead():
    """Previews a job and counts its audience."""
    call("previewCampaign", body=job("ahead", {"devices": [{"token": tokens(1)[0]}]}))
    question = models.AudienceQuestion.from_dict({"app": APP, "audience": {"list": "three"}})
    expect(call("checkAudience", body=question).devices == 3, "another number of devices")
    exact = call("checkAudience", body=question, exact=True)
    expect(exact.devices == 3 and not exact.estimated, "an exact number that is estimated", exact)
    explained = call("checkAudience", body=models.AudienceQuestion.from_dict(
        {"app": APP, "audience": {"segment": "sport"}}), explain=True)
    expect(explained.explain.by == "registry", "an index for a small registry", explained)
    refused("checkAudience", status=422,
            body=models.AudienceQuestion.from_dict({"app": APP, "audience": {"list": "nobody"}}))


def schedules():
    """Schedules a campaign by each device's clock, and a repeated one."""
    zones = [{"token": token, "time_zone": zone}
             for token, zone in zip(tokens(2), ("Europe/Madrid", "America/Lima"))]
    later = time.strftime("%Y-%m-%dT20:00:00", time.gmtime(time.time() + 7 * 86400))
    everywhere = job("everywhere", {"devices": zones}, local_time=True, send_at=later)
    call("sendCampaign", body=everywhere, status=202)
    campaign = wait_for("everywhere", "scheduled")
    expect({part.time_zone for part in campaign.parts} == {"Europe/Madrid", "America/Lima"}, "other parts", campaign)
    daily = job("daily", {"list": "three"}, repeat={"cron": "0 9 * * *", "time_zone": "Europe/Madrid"})
    call("sendCampaign", body=daily, status=202)
    campaign = wait_for("daily", "scheduled")
    expect(campaign.repeat.cron == "0 9 * * *" and campaign.repeat.next_at, "another repetition", campaign)
    for id in ("everywhere", "daily"):
        call("cancelCampaign", APP, id)
        wait_for(id, "cancelled")


def contents():
    """Stores a content, reads it back and removes it."""
    page = "<p>Ten percent – zehn Prozent</p>".encode()
    stored = call("putContent", APP, "coupon", body=File(io.BytesIO(page)), type_="coupon", status=201,
                  content_type=models.PutContentContentType.TEXTHTML)
    expect(stored.bytes_ == len(page) and stored.content_type == "text/html", "another content", stored)
    picture = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
    call("putContent", APP, "picture", body=File(io.BytesIO(picture)), type_="picture", status=201,
         content_type=models.PutContentContentType.IMAGEPNG)
    for id, bytes_ in (("coupon", page), ("picture", picture)):
        expect(call("getContent", APP, id).payload.read() == bytes_, f"{id} came back as another")
    expect({content.id for content in call("listContents", APP).contents} == {"coupon", "picture"}, "another list")
    call("removeContent", APP, "picture")
    refused("getContent", APP, "picture", status=404)


def channels():
    """Makes a broadcast channel at the simulator, finds it, and removes it."""
    form = models.ChannelForm.from_dict({"name": "derby-21", "storage": "latest"})
    made = call("createChannel", APP, body=form, status=201)
    expect(made.storage == "latest" and made.id, "another channel", made)
    expect([channel.name for channel in call("listChannels", APP).channels] == ["derby-21"], "another list")
    strays = call("compareChannels", APP)
    expect(not strays.unnamed and not strays.gone, "strays", strays)
    expect(call("removeChannel", APP, "derby-21").id == made.id, "another channel removed")


def devices():
    """Registers a device, pushes to it and to its user, and forgets it."""
    device = models.Device.from_dict({"provider": "apns", "token": tokens(DEVICES + 1)[-1], "user": "ana"})
    call("putDevice", APP, "ana-iphone", body=device)
    expect(call("getDevice", APP, "ana-iphone").additional_properties["user"] == "ana", "another device")
    for id, who in (("to-user", {"user": "ana"}), ("to-device", {"device": {"token": tokens(DEVICES + 2)[-1]}})):
        push = models.Send.from_dict({"id": id, "app": APP, "content": {"title": "For you"}} | who)
        call("sendToDevice", body=push, status=202)
        wait_for(id, "completed")
        expect(len(call("getSend", id, app=APP).devices) == 1, "it was not sent to one device")
    expect("ana-iphone" in call("forgetDevice", APP, "ana-iphone").forgotten, "it is remembered")


def parked():
    """Discards the message that 90-client.sh published, which is no job."""
    over = time.monotonic() + 30
    while not (rows := call("listParked", app=APP).parked):
        expect(time.monotonic() < over, "nothing is parked within 30 s")
        time.sleep(0.2)
    number = int(rows[0].id)
    expect(call("getParked", number).body == "no job", "another message", rows)
    refused("replayParked", number + 1, status=404)
    call("replayParked", number, dry_run=True)
    everything = models.ParkedChoice.from_dict({"app": APP})
    expect(len(call("replayParkedMany", body=everything, dry_run=True).parked) == 1, "not all would be replayed")
    call("discardParkedMany", body=everything, dry_run=True)
    expect(call("discardParked", number).result == "removed", "it was not discarded")


def reloads():
    """Has the workers read their files again, and reads their answers."""
    order = call("orderReload").order
    over = time.monotonic() + 30
    while True:
        found = call("getReload")
        expect(found.order == order and found.answers, "another order, or no worker", found)
        if all(one.answer == "taken_over" for one in found.answers):
            return
        expect(time.monotonic() < over, "not taken over within 30 s", found)
        time.sleep(0.2)


def looks():
    """Asks for what is there."""
    expect(call("getCaller").role == models.CallerRole.ADMIN, "another caller")
    expect([part for part in call("getStatus").parts if part.name == "broker"], "no broker in the status")
    expect(len(call("listApps").apps) == 1, "another list of apps")
    expect("sendCampaign" in {entry.operation for entry in call("listAudit", limit=200).entries}, "nothing is audited")
    expect(call("version").name == "fanfare", "another program")
    expect("3.1" in call("openapi").additional_properties["openapi"], "another document")
    call("livez")
    call("readyz")
    expect("fanfare_" in call("metrics"), "no metrics")


for scene in (tour, upload, orders, changes, looks_ahead, schedules, contents, channels, devices, parked, reloads, looks):
    scene()
left = {name for name, module in FUNCTIONS.items() if ".default." in module.__name__} - CALLED
expect(left == {"streamevents"}, "not called", left)  # it never ends
print(f"{len(CALLED)} operations, {len(models.__all__)} models")
