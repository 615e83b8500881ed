"""Tests the asyncio client against a real sidecar."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from reports import EVIDENCE, PROCEED_REPORT, REPLAN_REPORT

import gsar
import gsar.aio
from gsar import v1
from gsar.server import Server


async def test_evaluates_reports_concurrently(aio_client: gsar.aio.Client) -> None:
    reports = [PROCEED_REPORT, REPLAN_REPORT] * 8
    answers = await asyncio.gather(*(aio_client.evaluate(report, EVIDENCE) for report in reports))
    assert [gsar.tier(answer) for answer in answers] == ["proceed", "replan"] * 8


async def test_evaluate_stream_accepts_async_iterables_and_lists(aio_client: gsar.aio.Client) -> None:
    async def requests() -> AsyncIterator[tuple[str, v1.EvaluateRequest]]:
        for number in range(20):
            yield f"r{number}", gsar.evaluation(PROCEED_REPORT, EVIDENCE)

    assert len([answer async for answer in aio_client.evaluate_stream(requests())]) == 20
    request_list = [("only", gsar.evaluation(PROCEED_REPORT, EVIDENCE))]
    assert [answer.correlation_id async for answer in aio_client.evaluate_stream(request_list)] == ["only"]


async def test_stores_searches_lists_and_deletes_evidence(aio_client: gsar.aio.Client) -> None:
    await aio_client.put_evidence("aio", EVIDENCE)
    assert (await aio_client.search("aio", "OOMKilled")).hits
    assert "aio" in [corpus.corpus_id async for corpus in aio_client.list_corpora(page_size=1)]
    await aio_client.delete_corpus("aio")
    assert await aio_client.is_serving()


async def test_raises_the_same_errors_as_the_blocking_client(aio_client: gsar.aio.Client) -> None:
    with pytest.raises(gsar.InvalidArgument) as exc_info:
        await aio_client.evaluate("")
    assert [violation.field for violation in exc_info.value.violations] == ["report.synthesis"]
    with pytest.raises(gsar.NotFound):
        await aio_client.rescore("none")


def test_client_can_be_created_before_its_event_loop(server: Server) -> None:
    client = gsar.aio.Client(server.endpoint)

    async def main() -> str:
        async with client:
            return gsar.tier(await client.evaluate(PROCEED_REPORT, EVIDENCE))

    assert asyncio.run(main()) == "proceed"
