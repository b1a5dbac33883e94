"""OpenAI's own SDK: what it asks arrives, and what comes back it understands."""

from __future__ import annotations

import pytest
from openai import NotFoundError, OpenAI

import answers
from signalbox import Signalbox
from upstream import Record, words_of

ROUTE = "everyday"
GREETING = [{"role": "user", "content": "Grüße 👋"}]
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
IMAGE = ("image.png", answers.IMAGE, "image/png")
AUDIO = ("speech.mp3", answers.AUDIO, "audio/mpeg")


def test_chat(openai: OpenAI, record: Record) -> None:
    raw = openai.chat.completions.with_raw_response.create(model=ROUTE, messages=GREETING)
    asked = record.one("/v1/chat/completions")
    completion = raw.parse()
    assert asked.json["messages"] == GREETING
    assert completion.choices[0].message.content == asked.answered
    assert completion.usage.total_tokens == 12
    assert raw.headers["x-signalbox-target"] == f"{asked.upstream}/{completion.model}"


def test_targets_take_turns(openai: OpenAI, record: Record) -> None:
    for _ in range(4):
        openai.chat.completions.create(model=ROUTE, messages=GREETING)
    turns = [asked.upstream for asked in record.asked]
    assert sorted(turns[:2]) == ["first", "second"]
    assert turns[2:] == turns[:2]


def test_chat_streams_as_it_comes(openai: OpenAI, record: Record) -> None:
    with record.held():
        stream = openai.chat.completions.create(
            model=ROUTE, messages=GREETING, stream=True, stream_options={"include_usage": True}
        )
        early = [next(stream), next(stream)]
    late = list(stream)
    said = [choice.delta.content or "" for chunk in early + late for choice in chunk.choices]
    assert "".join(said) == record.one("/v1/chat/completions").answered
    assert late[-2].choices[0].finish_reason == "stop"
    assert late[-1].usage.total_tokens == 12


def test_a_tool_is_called_and_answered(openai: OpenAI, record: Record) -> None:
    chat = openai.chat.completions
    (choice,) = chat.create(model=ROUTE, messages=GREETING, tools=[TOOL]).choices
    assert choice.finish_reason == "tool_calls"
    (call,) = choice.message.tool_calls
    assert (call.function.name, call.function.arguments) == ("get_weather", '{"city":"Paris"}')
    result = {"role": "tool", "tool_call_id": call.id, "content": "Sunny."}
    conversation = [*GREETING, choice.message, result]
    answered = chat.create(model=ROUTE, messages=conversation, tools=[TOOL])
    assert answered.choices[0].message.content == record.asked[-1].answered
    assert record.asked[-1].json["messages"][-1] == result


def test_a_tool_call_streams(openai: OpenAI) -> None:
    with openai.chat.completions.stream(model=ROUTE, messages=GREETING, tools=[TOOL]) as stream:
        (choice,) = stream.get_final_completion().choices
    (call,) = choice.message.tool_calls
    assert (call.function.name, call.function.arguments) == ("get_weather", '{"city":"Paris"}')


def test_completions(openai: OpenAI, record: Record) -> None:
    made = openai.completions.create(model=ROUTE, prompt="Once")
    assert made.choices[0].text == record.one("/v1/completions").answered
    record.clear()
    with record.held():
        stream = openai.completions.create(model=ROUTE, prompt="Once", stream=True)
        said = [next(stream)]
    said += stream
    texts = [chunk.choices[0].text for chunk in said]
    assert "".join(texts) == record.one("/v1/completions").answered


def test_responses(openai: OpenAI, record: Record) -> None:
    made = openai.responses.create(model=ROUTE, input="Hello", store=False)
    asked = record.one("/v1/responses")
    assert made.output_text == asked.answered
    assert asked.json["store"] is False


def test_responses_stream_as_they_come(openai: OpenAI, record: Record) -> None:
    with record.held():
        stream = openai.responses.create(model=ROUTE, input="Hello", stream=True)
        events = [next(stream) for _ in range(4)]
    events += stream
    said = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert "".join(said) == record.one("/v1/responses").answered
    assert events[-1].type == "response.completed"
    assert [event.sequence_number for event in events] == list(range(len(events)))


def test_responses_are_counted_and_compacted_where_they_were_made(
    openai: OpenAI, record: Record
) -> None:
    assert openai.responses.input_tokens.count(model=ROUTE, input="Hello").input_tokens == 7
    made = openai.responses.create(model=ROUTE, input="Hello")
    maker = record.asked[-1].upstream
    record.clear()
    for _ in range(2):
        counted = openai.responses.input_tokens.count(model=ROUTE, previous_response_id=made.id)
        assert counted.input_tokens == 7
        compacted = openai.responses.compact(model=ROUTE, previous_response_id=made.id)
        assert compacted.object == "response.compaction"
    assert {asked.upstream for asked in record.asked} == {maker}


def test_a_response_is_where_it_was_made(openai: OpenAI, record: Record) -> None:
    responses = openai.responses
    made = [
        responses.create(model=ROUTE, input="One", background=True),
        responses.create(model=ROUTE, input="Two", background=True),
    ]
    assert {asked.upstream for asked in record.asked} == {"first", "second"}
    for response, maker in zip(made, [asked.upstream for asked in record.asked], strict=True):
        record.clear()
        assert responses.retrieve(response.id).output_text == words_of(maker)
        (item,) = responses.input_items.list(response.id)
        assert item.content[0].text in ("One", "Two")
        # Asked twice, it would be the other's turn once.
        for _ in range(2):
            after = responses.create(model=ROUTE, input="Go on", previous_response_id=response.id)
            assert after.previous_response_id == response.id
        assert responses.cancel(response.id).status == "cancelled"
        responses.delete(response.id)
        with pytest.raises(NotFoundError):
            responses.retrieve(response.id)
        assert {asked.upstream for asked in record.asked} == {maker}


def test_a_streamed_response_is_where_it_was_made(openai: OpenAI, record: Record) -> None:
    for _ in range(2):
        record.clear()
        with openai.responses.stream(model=ROUTE, input="Hello") as stream:
            made = stream.get_final_response()
        assert made.output_text == record.asked[0].answered
        assert openai.responses.retrieve(made.id).output_text == made.output_text
        with record.held() as release, openai.responses.retrieve(made.id, stream=True) as again:
            events = [next(again)]
            release()
            events += again
        assert events[-1].response.output_text == made.output_text


def test_a_response_is_found_after_a_restart(openai: OpenAI, signalbox: Signalbox) -> None:
    made = [openai.responses.create(model=ROUTE, input="Hello") for _ in range(2)]
    assert signalbox.stop() == 0
    signalbox.start()
    for response in made:
        assert openai.responses.retrieve(response.id).output_text == response.output_text


def test_a_response_that_nobody_made_is_not_found(openai: OpenAI, record: Record) -> None:
    with pytest.raises(NotFoundError):
        openai.responses.retrieve("resp_of_nobody")
    with pytest.raises(NotFoundError):
        openai.responses.create(model=ROUTE, input="Hi", previous_response_id="resp_of_nobody")


def test_embeddings(openai: OpenAI, record: Record) -> None:
    made = openai.embeddings.create(model=ROUTE, input=["one", "two"])
    assert [data.embedding for data in made.data] == [answers.VECTOR] * 2
    assert record.one("/v1/embeddings").json["input"] == ["one", "two"]


def test_moderations(openai: OpenAI, record: Record) -> None:
    (result,) = openai.moderations.create(model=ROUTE, input="Be kind.").results
    assert not result.flagged
    assert record.one("/v1/moderations").json["input"] == "Be kind."


def test_images_are_generated(openai: OpenAI, record: Record) -> None:
    made = openai.images.generate(model=ROUTE, prompt="A signal box", size="1024x1024")
    assert made.data[0].b64_json
    assert record.one("/v1/images/generations").json["prompt"] == "A signal box"


def test_images_are_edited(openai: OpenAI, record: Record) -> None:
    made = openai.images.edit(model=ROUTE, prompt="More rails", image=IMAGE, mask=IMAGE)
    assert made.data[0].b64_json
    form = record.one("/v1/images/edits").form
    assert form["prompt"].content == b"More rails"
    for name in ("image", "mask"):
        assert form[name].filename == "image.png"
        assert form[name].kind == "image/png"
        assert form[name].content == answers.IMAGE


def test_several_images_keep_their_order(openai: OpenAI, record: Record) -> None:
    images = [(f"{n}.png", answers.IMAGE + bytes([n]), "image/png") for n in range(3)]
    openai.images.edit(model=ROUTE, prompt="Join them", image=images)
    sent = [part for part in record.one("/v1/images/edits").parts if part.name == "image[]"]
    assert [(part.filename, part.content, part.kind) for part in sent] == images


def test_images_are_varied(openai: OpenAI, record: Record) -> None:
    with pytest.warns(DeprecationWarning, match="deprecated"):  # and yet in use
        made = openai.images.create_variation(model=ROUTE, image=IMAGE)
    assert made.data[0].b64_json
    assert record.one("/v1/images/variations").form["image"].content == answers.IMAGE


def test_speech_is_transcribed(openai: OpenAI, record: Record) -> None:
    made = openai.audio.transcriptions.create(model=ROUTE, file=AUDIO, language="en")
    asked = record.one("/v1/audio/transcriptions")
    assert made.text == asked.answered
    assert asked.form["language"].content == b"en"
    assert asked.form["file"].content == answers.AUDIO


def test_a_transcription_is_plain_text_if_wanted(openai: OpenAI, record: Record) -> None:
    made = openai.audio.transcriptions.create(model=ROUTE, file=AUDIO, response_format="text")
    assert made == record.one("/v1/audio/transcriptions").answered


def test_a_transcription_streams_as_it_comes(openai: OpenAI, record: Record) -> None:
    with record.held():
        stream = openai.audio.transcriptions.create(model=ROUTE, file=AUDIO, stream=True)
        events = [next(stream)]
    events += stream
    assert events[-1].text == record.one("/v1/audio/transcriptions").answered


def test_speech_is_translated(openai: OpenAI, record: Record) -> None:
    with pytest.warns(DeprecationWarning, match="deprecated"):
        made = openai.audio.translations.create(model=ROUTE, file=AUDIO)
    asked = record.one("/v1/audio/translations")
    assert made.text == asked.answered
    assert asked.form["file"].content == answers.AUDIO


def test_speech_streams_as_it_comes(openai: OpenAI, record: Record) -> None:
    speaking = openai.audio.speech.with_streaming_response.create(
        model=ROUTE, voice="alloy", input="Mind the gap."
    )
    heard = b""
    with record.held() as release, speaking as speech:
        sound = speech.iter_bytes(1024)
        while len(heard) < len(answers.AUDIO) // 2:
            heard += next(sound)
        release()
        heard += b"".join(sound)
    assert heard == answers.AUDIO
    assert record.one("/v1/audio/speech").json["voice"] == "alloy"


def test_routes_are_models(openai: OpenAI, record: Record) -> None:
    assert ROUTE in [model.id for model in openai.models.list()]
    assert openai.models.retrieve(ROUTE).id == ROUTE
    with pytest.raises(NotFoundError):
        openai.models.retrieve("no-such-route")
    assert record.asked == []
